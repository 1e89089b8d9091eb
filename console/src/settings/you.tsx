import { useState } from "react";
import { useServices } from "../app/context";
import { readTheme, setTheme, type Theme } from "../app/theme";
import { Fold } from "../parts/fold";
import { Switch } from "../parts/seg";
import { capitalize } from "../parts/words";
import { usePermissionWords } from "./permissions";

/** The signed-in person, what they may, and how the console looks. */
export function You() {
  const { api, me } = useServices();
  const [theme, choose] = useState(readTheme);
  const { meaningOf } = usePermissionWords();
  return (
    <>
      <dl className="facts">
        <dt>Name</dt>
        <dd>{me.name}</dd>
        {me.tenant && (
          <>
            <dt>Belongs to</dt>
            <dd>{me.tenant}</dd>
          </>
        )}
        {me.roles.length > 0 && (
          <>
            <dt>Roles</dt>
            <dd>{me.roles.join(", ")}</dd>
          </>
        )}
        <dt>Answers</dt>
        <dd>{me.can.decide ? "questions of everybody" : "only questions about your own steps"}</dd>
        <dt>Sees</dt>
        <dd>{me.can.readAll ? "all runs" : "your own runs, and what is shared with you"}</dd>
      </dl>
      <Fold isFlat title="Permissions" meta={<span className="meta">{me.permissions.length}</span>}>
        <ul>
          {me.permissions.map((each) => (
            <li key={each}>
              {capitalize(meaningOf(each))} <span className="meta mono">{each}</span>
            </li>
          ))}
        </ul>
      </Fold>
      <h2>Look</h2>
      <div>
        <Switch
          label="Theme"
          value={theme}
          onChange={(value: Theme) => {
            choose(value);
            setTheme(value);
          }}
          options={[
            { value: "system", label: "As the system" },
            { value: "light", label: "Light" },
            { value: "dark", label: "Dark" },
          ]}
        />
      </div>
      {me.account && (
        <div className="acts-row">
          <a className="b" href={api.url("/account")}>
            Password and sessions
          </a>
          <a className="b bare" href={api.url("/logout")}>
            Sign out
          </a>
        </div>
      )}
    </>
  );
}
