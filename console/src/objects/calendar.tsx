/** What happens to the objects of an application, and when: a month, with a link to each day. */
import { useMemo } from "react";
import { withQuery } from "../api/api";
import { usePages } from "../api/pages";
import { useKeys } from "../app/keys";
import { Link, navigate, pathTo, usePlace } from "../app/router";
import { useTarget } from "../app/target";
import { Icon } from "../parts/icon";
import { More } from "../parts/more";
import { Failed, Loading, Nothing } from "../parts/notes";
import { useNow } from "../parts/time";
import { clock, count } from "../parts/words";
import type { ObjectEventDocument } from "../wire";
import { dayId, eventsByDay, isSameDay, monthId, monthName, readMonth, shiftDay, shiftMonth, weeksOf } from "./months";

/** An object may have several events. */
const keyOf = (event: ObjectEventDocument) => `${event.id} ${event.at}`;

const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

export function Calendar({ kind, title }: { kind: string; title: string }) {
  const today = new Date(useNow(60) * 1000);
  const month = readMonth(usePlace().query.get("month"), today);
  const weeks = weeksOf(month);
  const pages = useEvents(kind, weeks.flat());
  const { items, error, reload } = pages;
  const byDay = useMemo(() => eventsByDay(items ?? []), [items]);
  const step = (months: number) => navigate(addressOf(kind, shiftMonth(month, months)), { replace: true });
  useKeys({ ArrowLeft: () => step(-1), ArrowRight: () => step(1) });
  return (
    <section className="pane calendar" aria-label={title} data-list>
      <Head kind={kind} month={month} />
      <table className="month">
        <thead>
          <tr>
            {WEEKDAYS.map((each) => (
              <th key={each} scope="col" abbr={each}>
                {each.slice(0, 3)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={dayId(week[0]!)}>
              {week.map((day) => (
                <Day
                  key={dayId(day)}
                  kind={kind}
                  day={day}
                  month={month}
                  isToday={isSameDay(day, today)}
                  events={byDay.get(dayId(day)) ?? []}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <More {...pages} />
      {!items && (error ? <Failed error={error} retry={reload} /> : <Loading />)}
      {items?.length === 0 && <Nothing title={`Nothing happens in ${monthName(month)}.`} />}
    </section>
  );
}

function useEvents(kind: string, days: Date[]) {
  const target = useTarget();
  const [start, end] = [days[0]!, shiftDay(days.at(-1)!, 1)].map((each) => String(each.getTime() / 1000));
  const path = withQuery(`/api/events/${encodeURIComponent(kind)}`, { start, end, target });
  return usePages<ObjectEventDocument>(path, keyOf, "after");
}

function Head({ kind, month }: { kind: string; month: Date }) {
  return (
    <header className="months">
      <h2 className="grow" aria-live="polite">
        {monthName(month)}
      </h2>
      <Link className="b tiny" replace to={addressOf(kind, shiftMonth(month, -1))} aria-label="The month before">
        <Icon name="left" />
      </Link>
      <Link className="b tiny" replace to={pathTo("objects", kind)}>
        Today
      </Link>
      <Link className="b tiny" replace to={addressOf(kind, shiftMonth(month, 1))} aria-label="The next month">
        <Icon name="right" />
      </Link>
    </header>
  );
}

interface DayProps {
  kind: string;
  day: Date;
  month: Date;
  isToday: boolean;
  events: ObjectEventDocument[];
}

/** A day: a link to what there is at its end, and what happens on it. */
function Day({ kind, day, month, isToday, events }: DayProps) {
  const name = day.toLocaleDateString("en-GB", { weekday: "long", day: "numeric", month: "long" });
  const label = [name, isToday ? "today" : "", events.length ? count(events.length, "event") : ""];
  const place = day.getMonth() === month.getMonth() ? "" : "other";
  return (
    <td className={events.length ? `${place} busy` : place} aria-current={isToday ? "date" : undefined}>
      <Link
        className="day"
        to={withQuery(pathTo("objects", kind, dayId(day)), { month: monthId(month) })}
        aria-label={label.filter(Boolean).join(", ")}
      >
        <span className="weekday">{day.toLocaleDateString("en-GB", { weekday: "long" })} </span>
        {day.getDate()}
      </Link>
      {events.map((each) => (
        <Event key={keyOf(each)} kind={kind} event={each} month={month} />
      ))}
    </td>
  );
}

function Event({ kind, event, month }: { kind: string; event: ObjectEventDocument; month: Date }) {
  const { id, name, at, label, note, needsPerson, isOver } = event;
  return (
    <Link
      className={isOver && !needsPerson ? "event over" : "event"}
      to={withQuery(pathTo("objects", kind, id), { month: monthId(month) })}
      title={note}
      data-item
    >
      <time dateTime={new Date(at * 1000).toISOString()}>{clock(at)}</time> <b>{name}</b>{" "}
      {label && <span className={needsPerson ? "chip need" : "chip plain"}>{label}</span>}
    </Link>
  );
}

function addressOf(kind: string, month: Date): string {
  return withQuery(pathTo("objects", kind), { month: monthId(month) });
}
