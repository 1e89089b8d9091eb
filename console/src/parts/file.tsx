/** Files: their addresses, and how they are named. */
import { withQuery } from "../api/api";
import { useServices } from "../app/context";
import type { FileDocument } from "../wire";
import { Icon } from "./icon";
import { size } from "./words";

/** The path of a file's content, for those who may read the conversation that has it, or who stored it. */
export function filePath({ digest, name, mediaType, size: bytes }: FileDocument, conversation = ""): string {
  return withQuery(`/api/files/${digest}`, { size: bytes, name, mediaType, conversation });
}

export function FileLink({ file, conversation }: { file: FileDocument; conversation?: string }) {
  const { api } = useServices();
  return (
    <a href={api.url(filePath(file, conversation))} download={file.name || "file"}>
      {file.name || "Unnamed file"}
    </a>
  );
}

/** Files that go with a message: small, with a way to leave one out where there is one. */
export function FileChips({
  files,
  conversation = "",
  onRemove,
}: {
  files: FileDocument[];
  conversation?: string;
  onRemove?: (file: FileDocument) => void;
}) {
  return (
    <ul className="files" aria-label="Files">
      {files.map((file) => (
        <li key={`${file.digest}/${file.name}`}>
          <Icon name="file" small />
          <FileLink file={file} conversation={conversation} />
          <span className="meta">{size(file.size)}</span>
          {onRemove && (
            <button
              type="button"
              className="b bare tiny"
              aria-label={`Leave out ${file.name}`}
              onClick={() => onRemove(file)}
            >
              <Icon name="x" small />
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
