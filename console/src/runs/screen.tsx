export function RunsScreen(_: Record<string, string>) {
  return null;
}
