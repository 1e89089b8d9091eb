import { Fragment, memo } from "react";

const MOST_WORDS = 400;

/** One side of a change: the words that go are struck, those that come are tinted. */
export const Diff = memo(function Diff({
  before,
  after,
  side,
}: {
  before: string;
  after: string;
  side: "before" | "after";
}) {
  const Mark = side === "before" ? "del" : "ins";
  const text = side === "before" ? before : after;
  if (!text) return null;
  if (!before || !after) return <Mark>{text}</Mark>;
  return splitWords(before, after, side).map(({ words, isSame }, index) => {
    if (isSame) return <span key={index}>{words}</span>;
    const marked = words.trimEnd();
    return (
      <Fragment key={index}>
        <Mark>{marked}</Mark>
        {words.slice(marked.length)}
      </Fragment>
    );
  });
});

const trimmed = (word: string) => word.trim();

interface Piece {
  words: string;
  isSame: boolean;
}

/** The words of one side, in pieces that stand on both sides or on this one alone. */
export function splitWords(before: string, after: string, side: "before" | "after"): Piece[] {
  const a = before.split(/(?<=\s)/);
  const b = after.split(/(?<=\s)/);
  const mine = side === "before" ? a : b;
  if (a.length > MOST_WORDS || b.length > MOST_WORDS) return [{ words: mine.join(""), isSame: false }];
  const same = commonPlaces(a.map(trimmed), b.map(trimmed));
  if (same.length * 4 < Math.max(a.length, b.length)) return [{ words: mine.join(""), isSame: false }];
  const kept = new Set(same.map(([i, j]) => (side === "before" ? i : j)));
  const pieces: Piece[] = [];
  for (const [index, word] of mine.entries()) {
    const isSame = kept.has(index);
    const last = pieces.at(-1);
    if (last?.isSame === isSame) last.words += word;
    else pieces.push({ words: word, isSame });
  }
  return pieces;
}

/** The places of the longest common subsequence of two lists. */
export function commonPlaces(a: string[], b: string[]): [number, number][] {
  const width = b.length + 1;
  const best = new Uint16Array((a.length + 1) * width);
  const same = (i: number, j: number) => a[i] === b[j];
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const at = i * width + j;
      best[at] = same(i, j) ? best[at + width + 1]! + 1 : Math.max(best[at + width]!, best[at + 1]!);
    }
  }
  const places: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (same(i, j)) places.push([i++, j++]);
    else if (best[(i + 1) * width + j]! >= best[i * width + j + 1]!) i++;
    else j++;
  }
  return places;
}
