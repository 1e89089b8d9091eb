import { useEffect, useRef, useState } from "react";
import { selectOpen, useWorld, waitsInInbox } from "../live/world";
import { Icon } from "../parts/icon";
import { quoted } from "../question/words";

/** The offer to be told of questions. The browser is asked here, when it is wanted, and not at the start. */
export function NotifyNote() {
  const [permission, setPermission] = useState(() => ("Notification" in window ? Notification.permission : "denied"));
  if (permission !== "default") return null;
  return (
    <p className="note quiet">
      <Icon name="mail" />
      <span className="grow">Questions can reach you while this page is in the background.</span>
      <button className="b tiny" onClick={() => void Notification.requestPermission().then(setPermission)}>
        Turn on
      </button>
    </p>
  );
}

/** Tell the person of each new question while the page is hidden. */
export function useNotifications(): void {
  const questions = useWorld((world) => world.questions);
  const told = useRef<Set<string> | null>(null);
  useEffect(() => {
    const waiting = selectOpen(questions).filter(waitsInInbox);
    const isFirst = told.current === null;
    told.current ??= new Set();
    for (const question of waiting) {
      if (told.current.has(question.id)) continue;
      told.current.add(question.id);
      if (isFirst || !document.hidden || !("Notification" in window) || Notification.permission !== "granted") continue;
      new Notification("A question waits", { body: quoted(question.sentence), tag: question.id });
    }
  }, [questions]);
}
