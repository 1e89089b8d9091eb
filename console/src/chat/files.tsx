import { useServices } from "../app/context";
import { FileLink, filePath } from "../parts/file";
import { Icon } from "../parts/icon";
import { Nothing } from "../parts/notes";
import { Ago } from "../parts/time";
import { readable, size } from "../parts/words";
import type { ConversationFileDocument } from "../wire";

/** The files of a conversation: what people gave, and what the agent's tools made. */
export function Files({ files, conversation }: { files: ConversationFileDocument[]; conversation: string }) {
  const { me } = useServices();
  return (
    <div className="sheet" tabIndex={0} role="region" aria-label="Files">
      {files.length === 0 && (
        <Nothing title="No files yet.">Files that you attach, and files that the agent makes, appear here.</Nothing>
      )}
      <ul className="filed">
        {files.map((each) => (
          <li key={`${each.file.digest}/${each.file.name}`}>
            <Picture of={each} conversation={conversation} />
            <span className="grow">
              <FileLink file={each.file} conversation={conversation} />
              <span className="meta">
                {each.call ? `made by “${readable(each.by)}”` : `from ${each.by === me.name ? "you" : each.by}`} ·{" "}
                {size(each.file.size)}
              </span>
            </span>
            <span className="meta num">
              <Ago at={each.at} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const PICTURES = new Set(["image/avif", "image/gif", "image/jpeg", "image/png", "image/webp"]);

function Picture({ of, conversation }: { of: ConversationFileDocument; conversation: string }) {
  const { api } = useServices();
  if (!PICTURES.has(of.file.mediaType)) return <Icon name="file" />;
  return <img src={api.url(filePath(of.file, conversation))} alt="" loading="lazy" />;
}
