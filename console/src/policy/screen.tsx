/** Policy: the rules as they are, the layers that every call passes, and what was approved in advance. */
import { useEffect, useMemo, useState } from "react";
import { usePages } from "../api/pages";
import { useResource } from "../api/resources";
import { useServices } from "../app/context";
import { useFacts } from "../live/tools";
import { Fold } from "../parts/fold";
import { Icon } from "../parts/icon";
import { Json } from "../parts/json";
import { More } from "../parts/more";
import { Failed, Loading, Nothing } from "../parts/notes";
import { Segments } from "../parts/seg";
import { plainSentence } from "../parts/sentence";
import { Left, useNow } from "../parts/time";
import { useTitle } from "../parts/use-title";
import { capitalize, count, moment } from "../parts/words";
import { usePermissionWords } from "../settings/permissions";
import type { GrantDocument, PolicyDocument, RuleDocument } from "../wire";

const idOf = (grant: GrantDocument) => grant.id;

export function PolicyScreen({ part = "rules" }: { part?: string }) {
  const grants = useGrants();
  const policy = useResource<PolicyDocument>("/api/policy");
  const open = grants.open.length;
  useTitle("Policy");
  return (
    <>
      <header className="top">
        <h1>Policy</h1>
        <span className="meta grow">{policy.data && count(policy.data.rules.length, "rule")}</span>
        <Segments
          label="Part"
          choices={[
            { to: "/policy", label: "Rules", isCurrent: part === "rules" },
            {
              to: "/policy/grants",
              label: open > 0 ? `Grants ${open}${grants.hasMore ? "+" : ""}` : "Grants",
              isCurrent: part === "grants",
            },
          ]}
        />
      </header>
      <div className="body policy" tabIndex={0} role="region" aria-label="Policy">
        {part === "grants" ? <Grants {...grants} /> : <Rules {...policy} />}
      </div>
    </>
  );
}

interface Read<T> {
  data: T | undefined;
  error: Error | undefined;
  reload: () => void;
}

function Rules({ data, error, reload }: Read<PolicyDocument>) {
  const facts = useFacts();
  const { meaningOf } = usePermissionWords();
  const namesOf = (tools: string[]) =>
    tools.map((each) => facts[each]?.sentence.text ?? plainSentence(each).text).join(", ");
  if (!data) return error ? <Failed error={error} retry={reload} /> : <Loading rows={5} />;
  return (
    <>
      <section aria-labelledby="rules">
        <h2 id="rules">The first rule that meets a call decides</h2>
        <table className="rows rules">
          <thead>
            <tr>
              <th scope="col">Rule</th>
              <th scope="col">What it does</th>
            </tr>
          </thead>
          <tbody>
            {data.rules.map((rule) => (
              <tr key={rule.name}>
                <td>
                  <b>{capitalize(rule.name)}</b>
                  <Verdict rule={rule} />
                </td>
                <td>
                  {capitalize(rule.meaning)}
                  {rule.permission && <p className="meta">Decided by those who may {meaningOf(rule.permission)}</p>}
                  {rule.tools.length > 0 && <p className="meta">Only for: {namesOf(rule.tools)}</p>}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {data.rules.length === 0 && <Nothing title="No rules.">Every call that is permitted runs.</Nothing>}
      </section>
      <p className="meta after">
        Rules are part of the application, and are changed there. A change of a rule ends the open questions and grants
        that it met.
      </p>
      <Fold isFlat title="Layers that each call passes" meta={<span className="meta">outermost first</span>}>
        <table className="rows">
          <tbody>
            {layersOf(data.layers).map(([scope, layers]) => (
              <tr key={scope}>
                <td>
                  <b>{scope}</b>
                </td>
                <td className="mono">{layers || <span className="meta">nothing</span>}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <p className="meta after">
          Version of the rules: <span className="mono">{data.version}</span>
        </p>
      </Fold>
    </>
  );
}

/** The lines of the drawing of a runtime: the scope, and its layers from the outermost. */
function layersOf(drawing: string): [string, string][] {
  return drawing
    .split("\n")
    .map((line) => /^([A-Z]+) {2,}(.*)$/.exec(line))
    .filter((found) => found !== null)
    .map(([, scope = "", layers = ""]) => [capitalize(scope.toLowerCase()), layers === "-" ? "" : layers]);
}

function Verdict({ rule }: { rule: RuleDocument }) {
  const icon = rule.verdict.startsWith("asks") ? "shield" : rule.verdict === "blocks" ? "x" : "check";
  return (
    <span className="meta verdict-line">
      <Icon name={icon} small />
      {rule.verdict}
    </span>
  );
}

/** The grants that count. The list begins with the oldest, so it is read on until one of them does. */
function useGrants() {
  const pages = usePages<GrantDocument>("/api/grants?limit=200", idOf, "after");
  const { items, hasMore, readMore, moreError } = pages;
  const now = useNow(60);
  const open = useMemo(() => (items ?? []).filter((each) => !each.revokedBy && each.expires > now), [items, now]);
  useEffect(() => {
    if (hasMore && !moreError && open.length === 0) readMore();
  }, [hasMore, moreError, open.length, readMore]);
  return { ...pages, open };
}

function Grants({ open, ...pages }: ReturnType<typeof useGrants>) {
  const { items, error, reload, hasMore } = pages;
  if (!items) return error ? <Failed error={error} retry={reload} /> : <Loading rows={4} />;
  if (open.length === 0) {
    return hasMore ? (
      <More {...pages} />
    ) : (
      <Nothing title="Nothing is approved in advance.">A question offers it: Allow in advance.</Nothing>
    );
  }
  return (
    <>
      <table className="rows">
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">For</th>
            <th scope="col" className="r">
              Used
            </th>
            <th scope="col" className="r">
              Ends
            </th>
            <th scope="col">
              <span className="hide">End it</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {open.map((each) => (
            <GrantRow key={each.id} grant={each} onEnd={reload} />
          ))}
        </tbody>
      </table>
      <More {...pages} />
    </>
  );
}

function GrantRow({ grant, onEnd }: { grant: GrantDocument; onEnd: () => void }) {
  const sentences = useFacts();
  const { api } = useServices();
  const now = useNow(60);
  const [error, setError] = useState("");
  async function end() {
    try {
      await api.send("DELETE", `/api/grants/${encodeURIComponent(grant.id)}`);
      onEnd();
    } catch (problem) {
      setError(problem instanceof Error ? problem.message : "It could not be ended.");
    }
  }
  return (
    <tr>
      <td>
        <b>{sentences[grant.tool]?.sentence.text ?? plainSentence(grant.tool).text}</b>
        <p className="meta">
          Allowed by {grant.by}, {moment(grant.given, now)}
          {grant.reason && `: ${grant.reason}`}
        </p>
        {grant.arguments !== "{}" && (
          <Fold isFlat title="Only with these arguments">
            <Json text={grant.arguments} label="Arguments" />
          </Fold>
        )}
        {error && <p className="error">{error}</p>}
      </td>
      <td>
        {grant.principal} {grant.target && <span className="meta">{grant.target}</span>}
      </td>
      <td className="r">
        {grant.used} of {grant.count}
      </td>
      <td className="r">
        <Left until={grant.expires} label="" />
      </td>
      <td className="r">
        <button className="b tiny ruin" onClick={() => void end()}>
          End it
        </button>
      </td>
    </tr>
  );
}
