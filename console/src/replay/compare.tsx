export function CompareScreen(_: Record<string, string>) {
  return null;
}
