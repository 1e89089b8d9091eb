// A stock AG-UI client: talks, is interrupted, resumes, and reads the run again as after a reload.
// node talk.mjs URL TOKEN PROMPT: prints what it saw as one line of JSON.
import { HttpAgent } from "@ag-ui/client";

const [base, token, prompt] = process.argv.slice(2);
const headers = { authorization: `Bearer ${token}` };
const agent = new HttpAgent({ url: `${base}/agui`, threadId: crypto.randomUUID(), headers });
const failures = [];
const streams = [];

/** One request of the client; the events that it was sent. */
async function run(client, parameters) {
  const events = [];
  streams.push(events);
  const subscriber = {
    onEvent: ({ event }) => void events.push(event),
    onRunFailed: ({ error }) => void failures.push(String(error.message)),
  };
  await client.runAgent({ runId: crypto.randomUUID(), ...parameters }, subscriber);
  return events;
}

agent.addMessage({ id: crypto.randomUUID(), role: "user", content: prompt });
const first = await run(agent, {});
const interrupts = first.at(-1).outcome?.interrupts ?? [];
const asked = interrupts.map((each) => each.message);
await run(agent, {
  resume: interrupts.map((each) => ({ interruptId: each.id, status: "resolved", payload: { approved: true } })),
});

// A reload: a client without memory reads the whole stream from its beginning.
const remitRun = interrupts[0]?.metadata?.question?.run;
class Rejoined extends HttpAgent {
  requestInit(input) {
    const { body, ...rest } = super.requestInit(input);
    return { ...rest, method: "GET" };
  }
}
const again = new Rejoined({ url: `${base}/api/runs/${remitRun}/events`, threadId: agent.threadId, headers });
await run(again, {});

const say = ({ messages }) =>
  messages.map(({ role, content, toolCalls }) => ({
    role,
    content: typeof content === "string" ? content : "",
    calls: (toolCalls ?? []).map((each) => each.function.name),
  }));
console.log(JSON.stringify({ asked, failures, streams, live: say(agent), late: say(again) }));
