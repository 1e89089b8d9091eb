import { withQuery } from "../api/api";
import { useServices } from "../app/context";

/** The address of the document of an object. */
export function objectPath(kind: string, id: string, query: Record<string, string | undefined> = {}): string {
  return withQuery(`/api/views/${encodeURIComponent(kind)}/${encodeURIComponent(id)}`, query);
}

/** A page of an application, without scripts, cookies and forms. */
export function PageFrame({ title, address }: { title: string; address: string }) {
  const { api } = useServices();
  return <iframe className="frame" title={`Preview of ${title}`} src={api.url(address)} sandbox="" />;
}
