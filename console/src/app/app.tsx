import { useEffect, useMemo, useState } from "react";
import { type Api, NetworkError, RefusedError } from "../api/api";
import { Failed } from "../parts/notes";
import type { Me } from "../wire";
import { Boundary } from "./boundary";
import { makeServices, ServicesContext } from "./context";
import { Routes } from "./routes";
import { Shell } from "./shell";
import { signInAddress } from "./sign-in";

/** The console over an API. */
export function App({ api, onMe }: { api: Api; onMe?: (me: Me) => void }) {
  const [me, setMe] = useState<Me | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [tries, setTries] = useState(0);

  useEffect(() => {
    let isGone = false;
    api.get<Me>("/api/me").then(
      (found) => {
        if (isGone) return;
        onMe?.(found);
        setMe(found);
      },
      (problem: Error) => {
        if (isGone) return;
        if (problem instanceof RefusedError && problem.status === 401) window.location.assign(signInAddress(api));
        else setError(problem);
      },
    );
    return () => {
      isGone = true;
    };
  }, [api, onMe, tries]);

  useEffect(() => {
    if (!(error instanceof NetworkError)) return;
    const timer = setTimeout(() => setTries((before) => before + 1), 2000);
    return () => clearTimeout(timer);
  }, [error, tries]);

  if (me) return <SignedIn api={api} me={me} />;
  if (!error) return null;
  return (
    <main className="start narrow">
      <h1>Remit</h1>
      <Failed error={error} retry={() => setTries((before) => before + 1)} />
    </main>
  );
}

function SignedIn({ api, me }: { api: Api; me: Me }) {
  const services = useMemo(() => makeServices(api, me), [api, me]);
  useEffect(() => {
    void services.world.start();
    return () => services.world.stop();
  }, [services]);
  return (
    <Boundary>
      <ServicesContext value={services}>
        <Shell>
          <Routes />
        </Shell>
      </ServicesContext>
    </Boundary>
  );
}
