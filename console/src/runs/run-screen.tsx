export function RunScreen(_: Record<string, string>) {
  return null;
}
