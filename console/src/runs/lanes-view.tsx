import { type CSSProperties, useMemo, useState } from "react";
import { Link, usePlace } from "../app/router";
import { Switch } from "../parts/seg";
import { clock, count, duration } from "../parts/words";
import type { RunDocument } from "../wire";
import { type Bar, courseOf, foldBars, type Lane } from "./lanes";
import { type Scale, scaleOf } from "./scale";

const MOST_ROWS = 40;
type Zoom = "1" | "2" | "4";

/** The lanes of a run. Each bar is an address; alike neighbours are one bar until they are unfolded. */
export function Lanes({ document, now, current }: { document: RunDocument; now: number; current: string }) {
  const [zoom, setZoom] = useState<Zoom>("1");
  const [isFolded, setFolded] = useState(true);
  const course = useMemo(() => courseOf(document, now), [document, now]);
  const scale = useMemo(() => scaleOf(course), [course]);
  const isLong = course.lanes.some((lane) => lane.bars.length > MOST_ROWS / 2);
  return (
    <>
      {isLong && (
        <div className="lane-tools">
          <Switch
            label="Zoom"
            value={zoom}
            onChange={setZoom}
            options={[
              { value: "1", label: "Whole" },
              { value: "2", label: "2×" },
              { value: "4", label: "4×" },
            ]}
          />
          <button className="b tiny" aria-pressed={!isFolded} onClick={() => setFolded(!isFolded)}>
            {isFolded ? "Unfold alike calls" : "Fold alike calls"}
          </button>
        </div>
      )}
      <div className="lane-scroll">
        <div style={{ minWidth: `${Number(zoom) * 100}%` }}>
          <Axis scale={scale} />
          {course.lanes.map((lane) => (
            <LaneView key={lane.id} lane={lane} scale={scale} current={current} isFolded={isFolded} />
          ))}
        </div>
      </div>
      <p className="meta key">
        <span>
          <i className="k" />
          call
        </span>
        <span>
          <i className="k model" />
          model
        </span>
        <span>
          <i className="k ask" />
          waited for a person
        </span>
        <span className="wide">
          <kbd>j</kbd> <kbd>k</kbd> move, <kbd>Enter</kbd> opens
        </span>
      </p>
    </>
  );
}

function Axis({ scale }: { scale: Scale }) {
  return (
    <div className="axis" aria-hidden="true">
      <span />
      <div>
        {scale.ticks.map((tick, index) => (
          <span
            key={index}
            style={{ left: `${tick.x}%` }}
            className={tick.x === 0 || tick.isAfterGap ? "from-here" : tick.x === 100 ? "to-here" : ""}
          >
            {clock(tick.at, true)}
          </span>
        ))}
        {scale.gaps.map((gap, index) => (
          <span key={`gap ${index}`} className="gap-label" style={place(gap.x, gap.width)}>
            {duration(gap.seconds)}
          </span>
        ))}
      </div>
    </div>
  );
}

function place(x: number, width: number): CSSProperties {
  return { "--x": `${x}%`, "--w": `${width}%` } as CSSProperties;
}

function LaneView({
  lane,
  scale,
  current,
  isFolded,
}: {
  lane: Lane;
  scale: Scale;
  current: string;
  isFolded: boolean;
}) {
  const [isWhole, setWhole] = useState(false);
  const bars = useMemo(() => (isFolded ? foldBars(lane.bars) : lane.bars), [lane, isFolded]);
  const shown = isWhole ? bars : bars.slice(0, MOST_ROWS);
  return (
    <div className="lane">
      <b>
        {lane.title}
        {lane.note && <small>{lane.note}</small>}
      </b>
      <div className="seq" data-list>
        {scale.gaps.map((gap, index) => (
          <div key={index} className="gap" style={place(gap.x, gap.width)} />
        ))}
        {shown.map((bar) => (
          <BarLink
            key={`${bar.id} ${bar.kind}`}
            bar={bar}
            scale={scale}
            isCurrent={bar.id === current && bar.kind !== "wait"}
          />
        ))}
        {bars.length > shown.length && (
          <button className="b tiny more-rows" onClick={() => setWhole(true)}>
            Show all {bars.length}
          </button>
        )}
      </div>
    </div>
  );
}

const KINDS: Record<Bar["kind"], string> = { said: "", call: "", model: "model", wait: "ask" };

function BarLink({ bar, scale, isCurrent }: { bar: Bar; scale: Scale; isCurrent: boolean }) {
  const { path, query } = usePlace();
  const from = scale.x(bar.from);
  const width = scale.x(bar.to) - from;
  const classes = [
    KINDS[bar.kind],
    from > 100 - from - width ? "flip" : "", // on the side that has more room
    isCurrent ? "here" : "",
    bar.call?.state === "failed" ? "bad" : "",
  ];
  const search = query.size > 0 ? `?${query}` : "";
  return (
    <Link
      to={`${path}${search}#${encodeURIComponent(bar.id)}`}
      replace
      data-item
      className={classes.filter(Boolean).join(" ")}
      style={place(from, width)}
      title={wordsOf(bar)}
      aria-current={isCurrent ? "true" : undefined}
    >
      <i />
      <span>{wordsOf(bar)}</span>
    </Link>
  );
}

function wordsOf(bar: Bar): string {
  const seconds = bar.to - bar.from;
  if (bar.kind === "model") return `Model, ${duration(seconds)}`;
  if (bar.kind === "wait") return `${bar.sentence.text}, ${duration(seconds)}`;
  return bar.count > 1 ? `${bar.sentence.text}, and ${count(bar.count - 1, "call")} alike` : bar.sentence.text;
}
