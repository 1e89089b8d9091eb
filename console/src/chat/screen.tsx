/** Chat: the talk, and beside it what the agent works on. */
import { useCallback, useEffect, useRef, useState } from "react";
import { useServices } from "../app/context";
import { useKeys } from "../app/keys";
import { navigate, pathTo } from "../app/router";
import { useTarget } from "../app/target";
import { useConversation, useQuestionsOf } from "../live/conversation";
import { useFacts } from "../live/tools";
import { useWorld } from "../live/world";
import { ModelLine } from "../model/line";
import { ScriptPrompts } from "../model/prompts";
import { Icon } from "../parts/icon";
import { Failed, Loading } from "../parts/notes";
import { useTitle } from "../parts/use-title";
import { capitalize, readable } from "../parts/words";
import type { ConversationDocument, Me } from "../wire";
import { Composer } from "./composer";
import { Dock } from "./dock";
import { GO_ON } from "./ending";
import { Hello } from "./hello";
import { ConversationMenu } from "./conversation-menu";
import { SidePanel, useSide } from "./side";
import { useStickToEnd } from "./stick";
import { Turn } from "./turn";
import { useTalk } from "./use-talk";

const SHOWN = 12;

export function ChatScreen({ conversation }: { conversation?: string }) {
  return conversation ? <Talk key={conversation} id={conversation} /> : <NewTalk />;
}

function NewTalk() {
  const { me } = useServices();
  const [agent, setAgent] = useState(me.application.agents[0]?.name ?? "");
  const [id] = useState(() => crypto.randomUUID());
  const { send } = useTalk(id, agent, useTarget());
  useTitle("New conversation");
  return (
    <>
      <header className="top">
        <h1 className="grow">New conversation</h1>
        <ModelLine agent={agent} />
        {me.application.agents.length > 1 && (
          <label>
            <span className="hide">Agent</span>
            <select className="field" value={agent} onChange={(event) => setAgent(event.target.value)}>
              {me.application.agents.map((each) => (
                <option key={each.name} value={each.name}>
                  {capitalize(readable(each.name))}
                </option>
              ))}
            </select>
          </label>
        )}
      </header>
      <div className="talk-pane grow">
        <Hello agent={agent} onPick={(text) => void send(text).then(() => navigate(pathTo("chat", id)))} />
        <div className="dock">
          <div>
            <Composer
              name="new"
              placeholder="Ask for something"
              takesFiles={takesFiles(me, agent)}
              onSend={async (text, files) => {
                await send(text, files);
                navigate(pathTo("chat", id));
              }}
            />
          </div>
        </div>
      </div>
    </>
  );
}

function Talk({ id }: { id: string }) {
  const { me, world } = useServices();
  const { conversation, rows, runs, error, reload } = useConversation(id);
  const isPart = useWorld((state) => state.moreQuestions !== "");
  const agent = rows?.at(-1)?.agent || me.application.agents[0]?.name || "";
  const { send, stop, moving, prompts } = useTalk(id, agent, conversation?.target, rows);
  const facts = useFacts();
  const open = useQuestionsOf(id);
  const [isWhole, setWhole] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const side = useSide(id, runs, conversation?.target);
  const title = conversation?.title || prompts[runs[0] ?? ""] || "Conversation";
  const mine = open.some((each) => each.may.approve || each.may.deny);
  const shown = isWhole ? runs : runs.slice(-SHOWN);
  const isWritable = conversation !== undefined && mayWrite(conversation, me);
  const goOn = useCallback(() => void send(GO_ON), [send]);
  useEffect(() => {
    if (isPart) void world.readQuestionsOf(id).catch(() => undefined);
  }, [world, id, isPart]);
  useStickToEnd(box, id);
  useTitle(title);
  useKeys({ "[": side.toggle, "Shift+Escape": () => moving && void stop(moving).catch(() => undefined) });
  return (
    <div className={side.isOpen ? "split chat" : "split chat alone"} ref={side.frame}>
      <div className="pane">
        <header className="top">
          <h1 className="grow one-line" title={title}>
            {title}
          </h1>
          {open.length > 0 ? (
            <span className="chip need">{mine ? "waits for you" : "waits for another person"}</span>
          ) : (
            <span className="meta wide">{capitalize(readable(agent))}</span>
          )}
          {conversation && conversation.owner !== me.name && <span className="chip">of {conversation.owner}</span>}
          <ModelLine agent={agent} />
          {side.hasContent && (
            <button
              className={side.isOpen ? "b bare slim" : "b bare"}
              onClick={side.toggle}
              aria-expanded={side.isOpen}
            >
              <Icon name="eye" />
              Beside
            </button>
          )}
          {conversation && <ConversationMenu conversation={conversation} />}
        </header>
        <div className="talk-pane grow">
          <div className="stream" ref={box} tabIndex={0} role="log" aria-label="Conversation">
            {runs.length > shown.length && (
              <p>
                <button className="b tiny" onClick={() => setWhole(true)}>
                  Show {runs.length - shown.length} earlier
                </button>
              </p>
            )}
            {shown.map((run) => (
              <Turn
                key={run}
                run={run}
                prompt={prompts[run]}
                facts={facts}
                agent={readable(agent)}
                onGoOn={run === runs.at(-1) && isWritable ? goOn : undefined}
              />
            ))}
            {runs.length === 0 && (error ? <Failed error={error} retry={reload} /> : <Loading rows={3} />)}
          </div>
          <div className="dock">
            <Dock
              conversation={id}
              composer={
                conversation && !isWritable ? (
                  <ReadOnly owner={conversation.owner} />
                ) : (
                  <>
                    {!moving && <ScriptPrompts onPick={(text) => void send(text)} />}
                    <Composer
                      name={id}
                      placeholder="Write on"
                      spent={side.spent}
                      takesFiles={takesFiles(me, agent)}
                      onSend={send}
                      onStop={moving ? () => stop(moving) : undefined}
                    />
                  </>
                )
              }
            />
          </div>
        </div>
      </div>
      {side.isOpen && <SidePanel side={side} />}
    </div>
  );
}

function mayWrite(conversation: ConversationDocument, me: Me): boolean {
  if (conversation.owner === me.name || me.can.manageConversations) return true;
  return conversation.shares.some(
    (each) => each.access === "write" && (each.principal === me.name || each.principal === "*"),
  );
}

function takesFiles(me: Me, agent: string): boolean {
  return me.application.agents.some((each) => each.name === agent && each.files);
}

function ReadOnly({ owner }: { owner: string }) {
  return (
    <div className="note">
      <Icon name="eye" />
      <span>
        <b>This is a conversation of {owner}.</b> You can read it, not write in it.
      </span>
    </div>
  );
}
