/** The arguments of a call by name; none if they were erased. */
export function parsedArguments(text: string): Record<string, unknown> {
  try {
    return (JSON.parse(text) as Record<string, unknown> | null) ?? {};
  } catch {
    return {};
  }
}
