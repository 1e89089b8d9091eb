import { useServices } from "./context";
import { useWorld } from "../live/world";
import { signInAddress } from "./sign-in";
import { useNow } from "../parts/time";

/** A line above the page while the server does not answer. */
export function Connection() {
  const { world, api, me } = useServices();
  const connection = useWorld((state) => state.connection);
  const retryAt = useWorld((state) => state.retryAt);
  const now = useNow(1);
  if (connection === "signed out") {
    return (
      <div className="banner" role="status">
        <span className="grow">
          <b>You are signed out.</b> Sign in again to go on; what you wrote stays here.
        </span>
        <a className="b tiny" href={signInAddress(api)}>
          Sign in
        </a>
      </div>
    );
  }
  if (connection === "changed") {
    return (
      <div className="banner" role="status">
        <span className="grow">
          <b>You are signed in otherwise now.</b> This page is that of {me.name} as they were signed in before. Load it
          again to go on.
        </span>
        <button className="b tiny" onClick={() => window.location.reload()}>
          Load again
        </button>
      </div>
    );
  }
  if (connection !== "away") return null;
  const seconds = Math.max(0, Math.ceil(retryAt / 1000 - now));
  return (
    <div className="banner" role="status">
      <span className="spin" />
      <span className="grow">
        <b>The server does not answer.</b> Trying again{seconds > 0 && ` in ${seconds} s`}. Runs go on without this
        page; nothing is lost.
      </span>
      <button className="b tiny" onClick={world.tryNow}>
        Try now
      </button>
    </div>
  );
}
