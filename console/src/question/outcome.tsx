import { useId } from "react";
import { Problem } from "../parts/notes";
import type { QuestionDocument } from "../wire";
import { Deadline, Details, Head } from "./parts";
import type { Deciding } from "./use-decide";
import { quoted } from "./words";

/** Whether an interrupted call happened: only a person can know. No answer is the safe one, so no button is filled. */
export function OutcomeCard({ question, deciding }: { question: QuestionDocument; deciding: Deciding }) {
  const id = useId();
  return (
    <article className="q approve" aria-labelledby={id}>
      <Head icon="alert" right={<Deadline question={question} />}>
        Only you can know
      </Head>
      <div className="ask">
        <h2 id={id}>Did it happen: {quoted(question.sentence)}?</h2>
        <p>
          The process ended while the call was running. Look before you answer: if it happened and you say that it did
          not, it may happen twice.
        </p>
        {question.why && <p>{question.why}</p>}
        <Problem text={deciding.error} />
      </div>
      <Details question={question} />
      <footer>
        <button className="b" disabled={deciding.isBusy} onClick={() => void deciding.decide({ approved: true })}>
          It happened
        </button>
        <button className="b" disabled={deciding.isBusy} onClick={() => void deciding.decide({ approved: false })}>
          It did not
        </button>
      </footer>
    </article>
  );
}
