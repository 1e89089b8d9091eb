import type { ReactNode } from "react";

/** The icons: 16 px grid, 1.5 px round strokes. */
const SHAPES = {
  alert: (
    <>
      <path d="M8 2.5 14 13H2z" />
      <path d="M8 6.5v3M8 11.2v.1" />
    </>
  ),
  back: <path d="M4 3.5v9M12.5 3.5v9L6.5 8z" />,
  changes: <path d="M4.5 2.5v11M11.5 2.5v11M2.5 4.5l2-2 2 2M9.5 11.5l2 2 2-2" />,
  chat: <path d="M2.5 3.5h11v7.5H8l-3 2.5V11H2.5z" />,
  check: <path d="m3 8.5 3.5 3.5L13 4.5" />,
  clip: <path d="m12.5 7.5-5 5a2.8 2.8 0 0 1-4-4l5.3-5.3a1.9 1.9 0 0 1 2.7 2.7l-5.2 5.2a.9.9 0 0 1-1.3-1.3l4.7-4.7" />,
  clock: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 5v3l2 1.5" />
    </>
  ),
  copy: (
    <>
      <path d="M5.5 5.5h8v8h-8z" />
      <path d="M10.5 3.5v-1h-8v8h1" />
    </>
  ),
  eye: (
    <>
      <path d="M1.5 8C3 5.2 5.3 3.8 8 3.8S13 5.2 14.5 8C13 10.8 10.7 12.2 8 12.2S3 10.8 1.5 8z" />
      <circle cx="8" cy="8" r="1.8" />
    </>
  ),
  file: (
    <>
      <path d="M4 2.5h5l3 3v8H4z" />
      <path d="M9 2.5v3h3" />
    </>
  ),
  filter: <path d="M2.5 4h11M4.5 8h7M6.5 12h3" />,
  fork: (
    <>
      <path d="M4.5 5.5v5M4.5 8h4a3 3 0 0 0 3-3" />
      <circle cx="4.5" cy="4" r="1.5" />
      <circle cx="4.5" cy="12" r="1.5" />
      <circle cx="11.5" cy="4" r="1.5" />
    </>
  ),
  globe: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M2.5 8h11M8 2.5c2 1.6 2.5 3.5 2.5 5.5S10 12 8 13.5C6 12 5.5 10 5.5 8S6 4.1 8 2.5z" />
    </>
  ),
  image: (
    <>
      <path d="M2.5 3.5h11v9h-11z" />
      <path d="m3 11.5 3-3.5 2.5 2.5 2-2 2.5 2.5" />
      <circle cx="10.5" cy="6" r=".8" />
    </>
  ),
  inbox: (
    <>
      <path d="M2.5 9.5 4.5 3h7l2 6.5v3.5h-11z" />
      <path d="M2.5 9.5h3l1 1.5h3l1-1.5h3" />
    </>
  ),
  key: (
    <>
      <circle cx="5.5" cy="10.5" r="3" />
      <path d="m7.7 8.3 5.3-5.3M10.5 5.5l2 2" />
    </>
  ),
  left: <path d="M10 3.5 5.5 8l4.5 4.5" />,
  link: (
    <path d="M6.5 9.5 9.5 6.5M7 4.5l1.2-1.2a2.9 2.9 0 0 1 4.2 4.2L11 8.9M9 11.5l-1.2 1.2a2.9 2.9 0 0 1-4.2-4.2L5 7.1" />
  ),
  load: <path d="M8 2.5V10M4.5 7 8 10.5 11.5 7M3 13.5h10" />,
  lock: (
    <>
      <rect x="3.5" y="7" width="9" height="6.5" rx="1" />
      <path d="M5.5 7V5a2.5 2.5 0 0 1 5 0v2" />
    </>
  ),
  mail: (
    <>
      <path d="M2.5 4h11v8.5h-11z" />
      <path d="m3 4.5 5 4 5-4" />
    </>
  ),
  memory: (
    <>
      <path d="M3 4.5C3 3.4 5.2 2.5 8 2.5s5 .9 5 2-2.2 2-5 2-5-.9-5-2z" />
      <path d="M3 4.5v7c0 1.1 2.2 2 5 2s5-.9 5-2v-7M3 8c0 1.1 2.2 2 5 2s5-.9 5-2" />
    </>
  ),
  more: <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" />,
  pause: <path d="M5.5 3.5v9M10.5 3.5v9" />,
  pen: <path d="m3 13 .7-3L10.5 3.2l2.3 2.3L6 12.3z" />,
  person: (
    <>
      <circle cx="8" cy="5.5" r="2.5" />
      <path d="M3 13.5c.6-2.6 2.5-4 5-4s4.4 1.4 5 4" />
    </>
  ),
  play: <path d="M5 3.5v9l7-4.5z" />,
  plus: <path d="M8 3v10M3 8h10" />,
  policy: <path d="M8 2 13 4v4c0 3-2.2 5-5 6-2.8-1-5-3-5-6V4z" />,
  right: <path d="m6 3.5 4.5 4.5L6 12.5" />,
  runs: <path d="M2.5 4h6M5 8h8.5M4 12h4" />,
  script: (
    <>
      <path d="M3 3h10v10H3z" />
      <path d="m5 6 2 2-2 2M8.5 10.5H11" />
    </>
  ),
  search: (
    <>
      <circle cx="7" cy="7" r="4" />
      <path d="m10 10 3.5 3.5" />
    </>
  ),
  settings: (
    <>
      <path d="M2.5 5h6M12 5h1.5M2.5 11H4M7.5 11h6" />
      <circle cx="10" cy="5" r="1.75" />
      <circle cx="5.75" cy="11" r="1.75" />
    </>
  ),
  shield: (
    <>
      <path d="M8 2 13 4v4c0 3-2.2 5-5 6-2.8-1-5-3-5-6V4z" />
      <path d="m5.8 7.9 1.6 1.6 2.9-3" />
    </>
  ),
  stop: <rect x="4" y="4" width="8" height="8" rx="1" />,
  tools: <path d="M6 2.5v3.5M10 2.5v3.5M4 6h8v2a4 4 0 0 1-8 0zM8 12v1.5" />,
  trash: <path d="M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.5 9h6l.5-9" />,
  undo: (
    <>
      <path d="M3 6.5h6.5a3.5 3.5 0 0 1 0 7H6" />
      <path d="M5.5 4 3 6.5 5.5 9" />
    </>
  ),
  up: <path d="M8 13V3.5M4 7.5l4-4 4 4" />,
  x: <path d="m4 4 8 8M12 4l-8 8" />,
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof SHAPES;

/** An icon. It is decoration: the words beside it say the same. `tone` colours it, `small` is a 12 px mark. */
export function Icon({
  name,
  tone = "",
  small = false,
  turns = false,
}: {
  name: IconName;
  tone?: "" | "need" | "fail" | "done";
  small?: boolean;
  turns?: boolean;
}) {
  const classes = ["i", tone, small ? "small" : "", turns ? "turn-i" : ""].filter(Boolean).join(" ");
  return (
    <svg className={classes} viewBox="0 0 16 16" aria-hidden="true">
      {SHAPES[name]}
    </svg>
  );
}
