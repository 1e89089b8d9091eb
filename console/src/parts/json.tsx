/** A value as it is on record: JSON indented, other text as it is. */
export function Json({ text, label }: { text: string; label: string }) {
  return (
    <pre className="well" tabIndex={0} aria-label={label}>
      {indented(text)}
    </pre>
  );
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
