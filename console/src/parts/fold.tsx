import type { ReactNode } from "react";
import { useStored } from "./use-stored";
import { Icon } from "./icon";

/** A part that opens and closes. With a `name`, it stays as the person left it. */
export function Fold({
  title,
  meta,
  name,
  isOpen = false,
  isFlat = false,
  children,
}: {
  title: ReactNode;
  meta?: ReactNode;
  name?: string;
  isOpen?: boolean;
  isFlat?: boolean;
  children: ReactNode;
}) {
  const [open, setOpen] = useStored(name ? `fold.${name}` : null, isOpen);
  return (
    <details
      className={isFlat ? "fold flat" : "fold"}
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <Icon name="right" turns />
        {title}
        {meta}
      </summary>
      {open && <div>{children}</div>}
    </details>
  );
}
