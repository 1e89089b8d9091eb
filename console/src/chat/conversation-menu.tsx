import { useState } from "react";
import { useServices } from "../app/context";
import { navigate } from "../app/router";
import { Dialog } from "../parts/dialog";
import { Menu } from "../parts/menu";
import type { ConversationDocument } from "../wire";
import { ShareDialog } from "./share";

/** Share, rename or delete a conversation, for its owner and those who manage all. */
export function ConversationMenu({ conversation }: { conversation: ConversationDocument }) {
  const { api, me, resources } = useServices();
  const [asks, setAsks] = useState<"share" | "rename" | "delete" | null>(null);
  const path = `/api/conversations/${encodeURIComponent(conversation.conversation)}`;
  const close = () => setAsks(null);

  async function rename(title: string) {
    await api.send("PATCH", path, { title });
    resources.invalidate(path);
    close();
  }

  async function remove() {
    await api.send("DELETE", path);
    close();
    navigate("/chat");
  }

  if (conversation.owner !== me.name && !me.can.manageConversations) return null;
  return (
    <>
      <Menu
        label="More"
        entries={[
          { label: "Share…", onSelect: () => setAsks("share") },
          { label: "Rename…", onSelect: () => setAsks("rename") },
          { label: "Delete…", onSelect: () => setAsks("delete"), isRuinous: true },
        ]}
      />
      {asks === "share" && <ShareDialog conversation={conversation} onClose={close} />}
      {asks === "rename" && (
        <Dialog title="Rename the conversation" onClose={close}>
          <form
            className="inline"
            onSubmit={(event) => {
              event.preventDefault();
              void rename(String(new FormData(event.currentTarget).get("title") ?? ""));
            }}
          >
            <span className="field grow">
              <input name="title" aria-label="Title" defaultValue={conversation.title} />
            </span>
            <button className="b yes">Rename</button>
          </form>
        </Dialog>
      )}
      {asks === "delete" && (
        <Dialog title={`Delete “${conversation.title}”?`} onClose={close}>
          <p>The conversation disappears for everybody. What its runs changed stays as it is.</p>
          <div className="acts-row">
            <button className="b ruin" onClick={() => void remove()}>
              Delete the conversation
            </button>
            <button className="b" onClick={close}>
              Keep it
            </button>
          </div>
        </Dialog>
      )}
    </>
  );
}
