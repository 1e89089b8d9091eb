import { useState } from "react";
import { useServices } from "../app/context";
import type { FileDocument } from "../wire";

/** The files that go with the next message. Each is stored at once, and sent as its reference. */
export function useFiles() {
  const { api } = useServices();
  const [files, setFiles] = useState<FileDocument[]>([]);
  const [storing, setStoring] = useState(0);
  const [problem, setProblem] = useState("");

  async function add(chosen: Iterable<File>) {
    setProblem("");
    for (const file of chosen) {
      setStoring((before) => before + 1);
      try {
        const stored = await api.upload(file);
        setFiles((before) => [...before.filter((each) => !isSame(each, stored)), stored]);
      } catch (error) {
        setProblem(`${file.name} could not be stored: ${error instanceof Error ? error.message : "try it again"}`);
      } finally {
        setStoring((before) => before - 1);
      }
    }
  }

  return {
    files,
    isStoring: storing > 0,
    problem,
    add,
    remove: (file: FileDocument) => setFiles((before) => before.filter((each) => !isSame(each, file))),
    clear: () => setFiles([]),
  };
}

function isSame(one: FileDocument, other: FileDocument): boolean {
  return one.digest === other.digest && one.name === other.name;
}
