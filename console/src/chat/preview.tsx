import { useEffect, useState } from "react";
import { RefusedError } from "../api/api";
import { useResource } from "../api/resources";
import { useServices } from "../app/context";
import { Link } from "../app/router";
import { ObjectSections } from "../objects/sections";
import { objectAddress, objectPath, PageFrame } from "../objects/page-frame";
import { Icon } from "../parts/icon";
import { Failed, Loading, Nothing } from "../parts/notes";
import { Switch } from "../parts/seg";
import { readable } from "../parts/words";
import type { ChangedDocument, ObjectDocument } from "../wire";

/** The object that the agent changed last, as its application shows it. It is read again at each revision. */
export function Preview({ object, target }: { object: ChangedDocument; target: string }) {
  const { resources } = useServices();
  const [state, setState] = useState<"after" | "before">("after");
  const path = objectPath(object.kind, object.id, { target });
  const { data, error } = useResource<ObjectDocument>(path);
  useEffect(() => resources.invalidate(path), [path, object, resources]);
  const page = data?.pages[0];
  const isGone = error instanceof RefusedError && error.status === 404;
  return (
    <>
      <div className="where">
        <span>
          <Icon name="globe" />
        </span>
        <span className="grow">
          <Link to={objectAddress(object.kind, object.id, target)}>
            {data?.name || object.name || readable(object.kind)}
          </Link>{" "}
          <span className="meta">{readable(object.kind)}</span>
        </span>
        <span className="meta wide">follows the agent</span>
        {page?.before && page.after && page.before !== page.after && (
          <Switch
            label="State"
            value={state}
            onChange={setState}
            options={[
              { value: "after", label: "Draft" },
              { value: "before", label: "Live" },
            ]}
          />
        )}
      </div>
      {isGone && (
        <div className="sheet">
          <Nothing title="It no longer exists." />
        </div>
      )}
      {page && !isGone && (
        <PageFrame key={page[state]} title={page.title} address={page[state] || page.after || page.before} />
      )}
      {data && !page && !isGone && (
        <div className="sheet" tabIndex={0} role="region" aria-label={data.name}>
          <h2>{data.name}</h2>
          {data.note && <p className="meta">{data.note}</p>}
          <ObjectSections detail={data} />
        </div>
      )}
      {!data && !isGone && <div className="sheet">{error ? <Failed error={error} /> : <Loading />}</div>}
    </>
  );
}
