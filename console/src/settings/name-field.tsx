/** The name of what is added. The focus begins here. */
export function NameField({
  label = "Name",
  value,
  onChange,
}: {
  label?: string;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <label className="edit">
      <span>{label}</span>
      <span className="field">
        <input autoFocus required value={value} onChange={(event) => onChange(event.target.value)} />
      </span>
    </label>
  );
}
