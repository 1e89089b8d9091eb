import { Link } from "../app/router";
import { Fold } from "../parts/fold";
import { Icon } from "../parts/icon";
import { Json } from "../parts/json";
import { type JsonSchema, kindWords } from "../parts/schema";
import { capitalize, duration, readable } from "../parts/words";
import { usePermissionWords } from "../settings/permissions";
import type { ToolDocument } from "../wire";
import { titleOf } from "./screen";
import { TryIt } from "./try-it";

/** The contract of a tool: what it says, what governs it, what it takes. */
export function Contract({ tool }: { tool: ToolDocument }) {
  const parameters: JsonSchema = tool.parameters;
  const fields = Object.entries(parameters.properties ?? {});
  const required = new Set(parameters.required ?? []);
  return (
    <section className="pane pad contract" tabIndex={0} aria-label={titleOf(tool)}>
      <Link className="b bare tiny slim" to="/tools">
        <Icon name="left" />
        Tools
      </Link>
      <header className="title">
        <h2>{titleOf(tool)}</h2>
        <span className="mono meta">{tool.name}</span>
      </header>
      <p className="words">{tool.description}</p>
      <section aria-label="What governs it">
        <h3>What governs it</h3>
        <Facts tool={tool} />
      </section>
      <table className="rows fixed">
        <thead>
          <tr>
            <th scope="col">What it takes</th>
            <th scope="col">Kind</th>
            <th scope="col">Meaning</th>
          </tr>
        </thead>
        <tbody>
          {fields.map(([name, property]) => (
            <tr key={name}>
              <td>
                {capitalize(readable(name))} {!required.has(name) && <span className="meta">optional</span>}
              </td>
              <td>{kindWords(property, tool.parameters)}</td>
              <td className={property.description ? "" : "meta"}>{property.description ?? "not said"}</td>
            </tr>
          ))}
          {fields.length === 0 && (
            <tr>
              <td colSpan={3} className="meta">
                Nothing
              </td>
            </tr>
          )}
        </tbody>
      </table>
      <TryIt tool={tool} />
      <Fold isFlat title="Exact definition" meta={<span className="meta">schemas and digest</span>}>
        <Json text={JSON.stringify(tool.parameters)} label="Schema of the arguments" />
        <Json text={JSON.stringify(tool.result)} label="Schema of the result" />
        <p className="meta mono digest">{tool.digest}</p>
      </Fold>
    </section>
  );
}

const EFFECTS: Record<string, string> = {
  pure: "only reads, may run again at any time",
  idempotent: "running twice has the effect of once",
  keyed: "a repeated call is the same call",
  unsafe: "never runs again by itself; after a crash a person says whether it happened",
  composed: "acts only by calling other tools",
};

function Facts({ tool }: { tool: ToolDocument }) {
  const { permissionWords } = usePermissionWords();
  return (
    <dl className="facts">
      <dt>Risk</dt>
      <dd>
        {tool.risk === "high" && <Icon name="shield" tone="need" />} {riskWords(tool)}
      </dd>
      <dt>Effect</dt>
      <dd>{EFFECTS[tool.effect] ?? tool.effect}</dd>
      <dt>Needs</dt>
      <dd>
        {tool.permissions.length > 0 ? (
          <>
            to be allowed to {permissionWords(tool.permissions)}{" "}
            <span className="meta mono">{tool.permissions.join(", ")}</span>
          </>
        ) : (
          "no permission"
        )}
      </dd>
      {tool.egress && (
        <>
          <dt>Sends</dt>
          <dd>data to the outside</dd>
        </>
      )}
      {tool.timeout !== null && (
        <>
          <dt>Time</dt>
          <dd className="num">at most {duration(tool.timeout)}</dd>
        </>
      )}
      {tool.consequence && (
        <>
          <dt>Afterwards</dt>
          <dd>{tool.consequence}</dd>
        </>
      )}
    </dl>
  );
}

function riskWords({ risk }: ToolDocument): string {
  return risk === "high" ? "high: a person is asked" : risk;
}
