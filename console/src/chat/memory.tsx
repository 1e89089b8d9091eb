import { useServices } from "../app/context";
import { Link } from "../app/router";
import { objectAddress } from "../objects/page-frame";
import { Icon } from "../parts/icon";
import { Nothing } from "../parts/notes";
import { capitalize, readable } from "../parts/words";
import type { RememberedDocument } from "../wire";

/** What the agent remembers of the talk: the objects that it has read or changed, by kind. */
export function Memory({ objects, target }: { objects: RememberedDocument[]; target: string }) {
  const { me } = useServices();
  const kinds = [...new Set(objects.map((each) => each.kind))];
  return (
    <div className="sheet" tabIndex={0} role="region" aria-label="Working memory">
      <p className="meta">
        What the agent remembers of this talk, the most recent first. Your next message is read with it.
      </p>
      {objects.length === 0 && (
        <Nothing title="Nothing yet.">Objects that the agent reads or changes appear here.</Nothing>
      )}
      {kinds.map((kind) => {
        const view = me.application.views.find((each) => each.kind === kind);
        return (
          <section key={kind} aria-label={readable(kind)}>
            <h3>{view?.title ?? capitalize(readable(kind))}</h3>
            <ul className="mem">
              {objects
                .filter((each) => each.kind === kind)
                .map((each) => (
                  <li key={each.id}>
                    <Icon name="file" />
                    {view ? (
                      <Link to={objectAddress(kind, each.id, target)}>{each.name}</Link>
                    ) : (
                      <span>{each.name}</span>
                    )}
                  </li>
                ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}
