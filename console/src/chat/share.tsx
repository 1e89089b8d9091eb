import { useState } from "react";
import { useAct } from "../api/use-act";
import { useServices } from "../app/context";
import { Dialog } from "../parts/dialog";
import { Icon } from "../parts/icon";
import { Problem } from "../parts/notes";
import type { ConversationDocument, Sharing } from "../wire";

const EVERYONE = "*";
type Access = "read" | "write";

/** The people who share a conversation, and what each may do. A change counts at once. */
export function ShareDialog({ conversation, onClose }: { conversation: ConversationDocument; onClose: () => void }) {
  const { me } = useServices();
  const [shares, setShares] = useState(conversation.shares);
  const [name, setName] = useState("");
  const [access, setAccess] = useState<Access>("read");
  const path = `/api/conversations/${encodeURIComponent(conversation.conversation)}`;
  const { act, problem } = useAct(path);
  const everyone = shares.find((each) => each.principal === EVERYONE)?.access ?? "";

  async function share(sharing: Sharing) {
    const shared = await act<ConversationDocument>("POST", `${path}/share`, sharing);
    if (!shared) return;
    setShares(shared.shares);
    setName("");
  }

  return (
    <Dialog title="Share the conversation" onClose={onClose}>
      <form
        className="share"
        onSubmit={(event) => {
          event.preventDefault();
          void share({ principal: name.trim(), access });
        }}
      >
        <span className="field grow">
          <input
            autoFocus
            aria-label="Name of a person"
            placeholder="Name of a person"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </span>
        <AccessChoice label="Access" value={access} onChange={(chosen) => chosen && setAccess(chosen)} />
        <button className="b yes" disabled={!name.trim()}>
          Share
        </button>
      </form>
      <Problem text={problem} />
      <ul className="shares">
        <li>
          <Icon name="person" />
          <span className="grow">{conversation.owner === me.name ? "You" : conversation.owner}</span>
          <span className="meta">began it</span>
        </li>
        {shares
          .filter((each) => each.principal !== EVERYONE)
          .map((each) => (
            <li key={each.principal}>
              <Icon name="person" />
              <span className="grow">{each.principal}</span>
              <AccessChoice
                label={`Access of ${each.principal}`}
                value={each.access as Access}
                without="Stop sharing"
                onChange={(chosen) => void share({ principal: each.principal, access: chosen })}
              />
            </li>
          ))}
        <li>
          <Icon name="globe" />
          <span className="grow">Everybody {me.tenant && `of ${me.tenant}`}</span>
          <AccessChoice
            label="Access of everybody"
            value={everyone as Access | ""}
            without="cannot see it"
            onChange={(chosen) => void share({ principal: EVERYONE, access: chosen })}
          />
        </li>
      </ul>
      <p className="meta">
        Who reads it sees its messages, its steps and its files, and questions only as far as they may. Its address can
        be sent to them.
      </p>
      <button className="b" onClick={onClose}>
        Close
      </button>
    </Dialog>
  );
}

function AccessChoice({
  label,
  value,
  without,
  onChange,
}: {
  label: string;
  value: Access | "";
  without?: string;
  onChange: (value: Access | "") => void;
}) {
  return (
    <select
      className="field"
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value as Access | "")}
    >
      {without && <option value="">{without}</option>}
      <option value="read">can read</option>
      <option value="write">can read and write</option>
    </select>
  );
}
