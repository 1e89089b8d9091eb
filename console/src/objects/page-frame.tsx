import { withQuery } from "../api/api";
import { useServices } from "../app/context";
import { pathTo } from "../app/router";

/** The address of the document of an object. */
export function objectPath(kind: string, id: string, query: Record<string, string | undefined> = {}): string {
  return withQuery(`/api/views/${encodeURIComponent(kind)}/${encodeURIComponent(id)}`, query);
}

/** The address of an object's page in the console, for a target. */
export function objectAddress(kind: string, id: string, target: string): string {
  return withQuery(pathTo("objects", kind, id), { target });
}

/** A page of an application, without scripts, cookies and forms. */
export function PageFrame({ title, address }: { title: string; address: string }) {
  const { api } = useServices();
  return <iframe className="frame" title={`Preview of ${title}`} src={api.url(address)} sandbox="" />;
}
