export function MoreScreen(_: Record<string, string>) {
  return null;
}
