import { useState } from "react";
import { useAct } from "../api/use-act";
import { useServices } from "../app/context";
import { Dialog } from "../parts/dialog";
import { Nothing, Problem } from "../parts/notes";
import type { RoleDocument } from "../wire";
import { NameField } from "./name-field";
import { PermissionBoxes } from "./permission-boxes";
import { usePermissions, usePermissionWords } from "./permissions";

const PATH = "/api/roles";

/** The roles of the server: those of `config.toml` are read here, the others are changed. */
export function Roles({ roles }: { roles: RoleDocument[] }) {
  const [edited, setEdited] = useState<RoleDocument | "new" | null>(null);
  const { permissionWords } = usePermissionWords();
  return (
    <>
      <h2>Roles</h2>
      {roles.length === 0 && <Nothing title="There is no role yet." />}
      {roles.length > 0 && (
        <table className="rows">
          <thead>
            <tr>
              <th scope="col">Role</th>
              <th scope="col">May</th>
              <th scope="col">
                <span className="hide">Change</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {roles.map((each) => (
              <tr key={each.name}>
                <td>
                  <b>{each.name}</b>
                </td>
                <td>
                  {permissionWords(each.permissions) || "nothing"}
                  {each.configured && <span className="meta"> · set in config.toml</span>}
                </td>
                <td className="r">
                  {!each.configured && (
                    <button
                      className="b tiny"
                      aria-label={`Change the role ${each.name}`}
                      onClick={() => setEdited(each)}
                    >
                      Change…
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <div className="acts-row">
        <button className="b" onClick={() => setEdited("new")}>
          Add a role…
        </button>
      </div>
      {edited && <EditRole role={edited === "new" ? null : edited} onClose={() => setEdited(null)} />}
    </>
  );
}

function EditRole({ role, onClose }: { role: RoleDocument | null; onClose: () => void }) {
  const { me, resources } = useServices();
  const [name, setName] = useState(role?.name ?? "");
  const [chosen, setChosen] = useState(role?.permissions ?? []);
  const known = usePermissions(me.permissions);
  const { act, problem, isBusy } = useAct(PATH);
  const done = (made: unknown) => {
    if (made === null) return;
    resources.invalidate("/api/people");
    onClose();
  };
  return (
    <Dialog title={role ? `The role ${role.name}` : "Add a role"} onClose={onClose}>
      <form
        className="sheet-form"
        onSubmit={(event) => {
          event.preventDefault();
          void act("POST", PATH, { name, permissions: chosen }).then(done);
        }}
      >
        {!role && <NameField value={name} onChange={setName} />}
        <PermissionBoxes
          known={[...new Set([...known, ...(role?.permissions ?? [])])].sort()}
          chosen={chosen}
          onChange={setChosen}
        />
        <Problem text={problem} />
        <div className="acts-row">
          <button className="b yes" disabled={!name.trim() || isBusy}>
            {role ? "Change the role" : "Add"}
          </button>
          {role && (
            <button
              type="button"
              className="b ruin"
              disabled={isBusy}
              onClick={() => void act("DELETE", `${PATH}/${encodeURIComponent(role.name)}`).then(done)}
            >
              Remove the role
            </button>
          )}
          <button type="button" className="b" onClick={onClose}>
            Not now
          </button>
        </div>
      </form>
    </Dialog>
  );
}
