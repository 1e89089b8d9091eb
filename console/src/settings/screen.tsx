export function SettingsScreen(_: Record<string, string>) {
  return null;
}
