import { type ReactNode, useState } from "react";
import { useServices } from "../app/context";
import { useQuestionsOf } from "../live/conversation";
import { useWorld } from "../live/world";
import { QuestionCard } from "../question/card";

/**
 * What stands below the talk: the composer, or the question that waits. A question that somebody else settles while it
 * is shown stays, and says so, until the person goes on.
 */
export function Dock({ conversation, composer }: { conversation: string | undefined; composer: ReactNode }) {
  const { me } = useServices();
  const open = useQuestionsOf(conversation);
  const questions = useWorld((world) => world.questions);
  const [shown, setShown] = useState<string | null>(null);
  const [writesOn, setWritesOn] = useState<string | null>(null);
  const first = open[0];
  const held = shown ? questions[shown] : undefined;
  const isHeld = held && held.status !== "open" && held.conversation === conversation && held.decision?.by !== me.name;
  const question = isHeld ? held : first;
  if (!isHeld && first && first.id !== shown) setShown(first.id);
  if (!question || writesOn === question.id) return <div>{composer}</div>;
  const isMine = question.may.approve || question.may.deny;
  const place = open.findIndex((each) => each.id === question.id);
  return (
    <div id="question">
      {open.length > 1 && place >= 0 && (
        <p className="meta queue">
          Question {place + 1} of {open.length}
        </p>
      )}
      <QuestionCard key={question.id} question={question} />
      {(isHeld || !isMine) && (
        <p className="go-on">
          <button className="b tiny" onClick={() => (isHeld ? setShown(null) : setWritesOn(question.id))}>
            {isHeld ? "Go on" : "Write on"}
          </button>
        </p>
      )}
    </div>
  );
}
