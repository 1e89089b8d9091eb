import { useState } from "react";
import { useResource } from "../api/resources";
import { useAct } from "../api/use-act";
import { useServices } from "../app/context";
import { Dialog } from "../parts/dialog";
import { Failed, Loading, Nothing, Problem } from "../parts/notes";
import { Ago, useNow } from "../parts/time";
import { moment } from "../parts/words";
import type { Listed, MadeToken, TokenDocument } from "../wire";
import { NameField } from "./name-field";
import { ShownOnce } from "./once";
import { PermissionBoxes } from "./permission-boxes";
import { usePermissions, usePermissionWords } from "./permissions";
import { RemoveDialog } from "./remove-dialog";

const DAYS = [7, 30, 90, 366];

/** The signed-in person's API tokens. */
export function Tokens() {
  const { me } = useServices();
  const path = `/api/people/${encodeURIComponent(me.name)}/tokens`;
  const { data, error, reload } = useResource<Listed<TokenDocument>>(path);
  const [isAdding, setAdding] = useState(false);
  const [revoked, setRevoked] = useState<TokenDocument | null>(null);
  const now = useNow(60);
  const { permissionWords } = usePermissionWords();
  if (!data) return error ? <Failed error={error} retry={reload} /> : <Loading />;
  return (
    <>
      <p className="meta">A program that sends a token asks in your name, and may do what the token lists.</p>
      {data.items.length === 0 && <Nothing title="You have no token." />}
      {data.items.length > 0 && (
        <table className="rows">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col">May</th>
              <th scope="col" className="opt">
                Last used
              </th>
              <th scope="col" className="r">
                Ends
              </th>
              <th scope="col">
                <span className="hide">Revoke</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {data.items.map((each) => (
              <tr key={each.id}>
                <td>
                  <b>{each.label}</b>
                </td>
                <td>{permissionWords(each.permissions) || <span className="meta">no permission</span>}</td>
                <td className="meta opt">{each.seen > 0 ? <Ago at={each.seen} /> : "never"}</td>
                <td className="r">{moment(each.expires, now)}</td>
                <td className="r">
                  <button className="b tiny ruin" aria-label={`Revoke ${each.label}`} onClick={() => setRevoked(each)}>
                    Revoke…
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <div className="acts-row">
        <button className="b" onClick={() => setAdding(true)}>
          New token…
        </button>
      </div>
      {isAdding && <NewToken path={path} onClose={() => setAdding(false)} />}
      {revoked && (
        <RemoveDialog
          title={`Revoke ${revoked.label}?`}
          path={`${path}/${revoked.id}`}
          concerns={path}
          yes="Revoke the token"
          no="Keep it"
          onClose={() => setRevoked(null)}
        >
          Its next request is refused. Runs that it has started go on.
        </RemoveDialog>
      )}
    </>
  );
}

function NewToken({ path, onClose }: { path: string; onClose: () => void }) {
  const { me } = useServices();
  const [label, setLabel] = useState("");
  const [days, setDays] = useState(30);
  const [chosen, setChosen] = useState<string[]>([]);
  const [made, setMade] = useState<MadeToken | null>(null);
  const known = usePermissions(me.permissions);
  const { act, problem, isBusy } = useAct(path);
  if (made) {
    return (
      <Dialog title={`The token ${made.token.label}`} onClose={onClose}>
        <ShownOnce
          label="Token"
          secret={made.secret}
          note="Copy it now: it is not kept, and not shown again. Whoever has it can do what it lists."
        />
        <button className="b" onClick={onClose}>
          Close
        </button>
      </Dialog>
    );
  }
  return (
    <Dialog title="New token" onClose={onClose}>
      <form
        className="sheet-form"
        onSubmit={(event) => {
          event.preventDefault();
          void act<MadeToken>("POST", path, { label, permissions: chosen, days }).then(setMade);
        }}
      >
        <NameField label="What it is for" value={label} onChange={setLabel} />
        <label className="edit">
          <span>Ends after</span>
          <select className="field" value={days} onChange={(event) => setDays(Number(event.target.value))}>
            {DAYS.map((each) => (
              <option key={each} value={each}>
                {each} days
              </option>
            ))}
          </select>
        </label>
        <PermissionBoxes known={known} chosen={chosen} onChange={setChosen} />
        <Problem text={problem} />
        <div className="acts-row">
          <button className="b yes" disabled={!label.trim() || isBusy}>
            Make the token
          </button>
          <button type="button" className="b" onClick={onClose}>
            Not now
          </button>
        </div>
      </form>
    </Dialog>
  );
}
