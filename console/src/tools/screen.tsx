export function ToolsScreen(_: Record<string, string>) {
  return null;
}
