export function PolicyScreen(_: Record<string, string>) {
  return null;
}
