export function ReplayScreen(_: Record<string, string>) {
  return null;
}
