import { useState } from "react";
import { useResource } from "../api/resources";
import { useAct } from "../api/use-act";
import { useServices } from "../app/context";
import { Dialog } from "../parts/dialog";
import { Menu } from "../parts/menu";
import { Failed, Loading, Problem } from "../parts/notes";
import { TickBoxes } from "../parts/tick-boxes";
import type { LinkDocument, Listed, PersonDocument, RoleDocument } from "../wire";
import { NameField } from "./name-field";
import { ShownOnce } from "./once";
import { RemoveDialog } from "./remove-dialog";
import { usePermissionWords } from "./permissions";
import { Roles } from "./roles";

const PATH = "/api/people";

/** The people of the tenant, and the roles that they can have. */
export function People() {
  const people = useResource<Listed<PersonDocument>>(PATH);
  const roles = useResource<Listed<RoleDocument>>("/api/roles");
  const [isAdding, setAdding] = useState(false);
  const error = people.error ?? roles.error;
  if (!people.data || !roles.data) {
    return error ? <Failed error={error} retry={people.error ? people.reload : roles.reload} /> : <Loading />;
  }
  const names = roles.data.items.map((each) => each.name);
  return (
    <>
      <table className="rows">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Roles</th>
            <th scope="col" className="opt">
              May
            </th>
            <th scope="col" className="opt">
              Signs in
            </th>
            <th scope="col">
              <span className="hide">More</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {people.data.items.map((each) => (
            <PersonRow key={each.name} person={each} roles={roles.data!.items} />
          ))}
        </tbody>
      </table>
      <div className="acts-row">
        <button className="b" onClick={() => setAdding(true)}>
          Add a person…
        </button>
      </div>
      <Roles roles={roles.data.items} />
      {isAdding && <AddPerson roles={names} onClose={() => setAdding(false)} />}
    </>
  );
}

type Asked = "roles" | "link" | "remove" | null;

function PersonRow({ person, roles }: { person: PersonDocument; roles: RoleDocument[] }) {
  const { me } = useServices();
  const [asked, setAsked] = useState<Asked>(null);
  const { permissionWords } = usePermissionWords();
  const close = () => setAsked(null);
  const isMe = person.name === me.name;
  const changes = person.configured
    ? []
    : [
        { label: "Roles…", onSelect: () => setAsked("roles") },
        ...(isMe ? [] : [{ label: "Remove…", onSelect: () => setAsked("remove"), isRuinous: true }]),
      ];
  return (
    <tr>
      <td>
        <b>{person.name}</b> {isMe && <span className="meta">you</span>}
      </td>
      <td>
        {person.roles.join(", ") || <span className="meta">none</span>}
        {person.configured && <span className="meta"> · set in config.toml</span>}
      </td>
      <td className="opt">{permissionWords(permissionsOf(person, roles)) || <span className="meta">nothing</span>}</td>
      <td className="meta opt">{person.password ? "with a password" : "by a link"}</td>
      <td className="r">
        <Menu
          label={`More about ${person.name}`}
          entries={[{ label: "Make a sign-in link…", onSelect: () => setAsked("link") }, ...changes]}
        />
        {asked === "roles" && <RolesOf person={person} roles={roles.map((each) => each.name)} onClose={close} />}
        {asked === "link" && <SignInLink name={person.name} onClose={close} />}
        {asked === "remove" && <RemovePerson name={person.name} onClose={close} />}
      </td>
    </tr>
  );
}

/** The permissions of the roles of a person, each once. */
function permissionsOf(person: PersonDocument, roles: RoleDocument[]): string[] {
  const held = roles.filter((each) => person.roles.includes(each.name)).flatMap((each) => each.permissions);
  return held.includes("*") ? ["*"] : [...new Set(held)];
}

function AddPerson({ roles, onClose }: { roles: string[]; onClose: () => void }) {
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<string[]>([]);
  const [added, setAdded] = useState("");
  const { act, problem, isBusy } = useAct(PATH);
  if (added) return <SignInLink name={added} title={`${added} is added`} onClose={onClose} />;
  return (
    <Dialog title="Add a person" onClose={onClose}>
      <form
        className="sheet-form"
        onSubmit={(event) => {
          event.preventDefault();
          void act<PersonDocument>("POST", PATH, { name, roles: chosen }).then((made) => made && setAdded(made.name));
        }}
      >
        <NameField value={name} onChange={setName} />
        <RoleBoxes roles={roles} chosen={chosen} onChange={setChosen} />
        <Problem text={problem} />
        <div className="acts-row">
          <button className="b yes" disabled={!name.trim() || isBusy}>
            Add
          </button>
          <button type="button" className="b" onClick={onClose}>
            Not now
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function SignInLink({ name, title, onClose }: { name: string; title?: string; onClose: () => void }) {
  const { api } = useServices();
  const [path, setPath] = useState("");
  const { act, problem, isBusy } = useAct(PATH);
  const make = () =>
    act<LinkDocument>("POST", `${PATH}/${encodeURIComponent(name)}/link`).then((made) => made && setPath(made.path));
  return (
    <Dialog title={title ?? `A sign-in link for ${name}`} onClose={onClose}>
      {path ? (
        <ShownOnce
          label="Link"
          secret={new URL(api.url(path), document.baseURI).href}
          note={`Whoever opens it within 15 minutes is signed in as ${name}, once. It is not shown again.`}
        />
      ) : (
        <p>{name} can sign in by a link, and set a password then.</p>
      )}
      <Problem text={problem} />
      <div className="acts-row">
        {!path && (
          <button className="b yes" disabled={isBusy} onClick={() => void make()}>
            Make a link
          </button>
        )}
        <button className="b" onClick={onClose}>
          {path ? "Close" : "Not now"}
        </button>
      </div>
    </Dialog>
  );
}

function RolesOf({ person, roles, onClose }: { person: PersonDocument; roles: string[]; onClose: () => void }) {
  const { act, problem, isBusy } = useAct(PATH);
  const path = `${PATH}/${encodeURIComponent(person.name)}/roles`;
  async function change(chosen: string[]) {
    for (const role of chosen.filter((each) => !person.roles.includes(each))) await act("POST", path, { role });
    for (const role of person.roles.filter((each) => !chosen.includes(each)))
      await act("DELETE", `${path}/${encodeURIComponent(role)}`);
  }
  return (
    <Dialog title={`Roles of ${person.name}`} onClose={onClose}>
      <RoleBoxes
        roles={[...new Set([...roles, ...person.roles])]}
        chosen={person.roles}
        isBusy={isBusy}
        onChange={(chosen) => void change(chosen)}
      />
      <p className="meta">A change counts from the next request, and from the next step of a run.</p>
      <Problem text={problem} />
      <button className="b" onClick={onClose}>
        Close
      </button>
    </Dialog>
  );
}

function RemovePerson({ name, onClose }: { name: string; onClose: () => void }) {
  return (
    <RemoveDialog
      title={`Remove ${name}?`}
      path={`${PATH}/${encodeURIComponent(name)}`}
      concerns={PATH}
      yes={`Remove ${name}`}
      no={`Keep ${name}`}
      onClose={onClose}
    >
      Password, sessions and tokens of {name} are gone at once. Runs and conversations stay, and cannot go on. Do not
      give the name to another person, who would see them.
    </RemoveDialog>
  );
}

function RoleBoxes({
  roles,
  chosen,
  isBusy = false,
  onChange,
}: {
  roles: string[];
  chosen: string[];
  isBusy?: boolean;
  onChange: (chosen: string[]) => void;
}) {
  const boxes = roles.map((name) => ({ name }));
  return (
    <TickBoxes legend="Roles" boxes={boxes} chosen={chosen} isBusy={isBusy} onChange={onChange}>
      {roles.length === 0 && <p className="meta">There is no role yet. Without one, a person may do nothing.</p>}
    </TickBoxes>
  );
}
