/**
 * Creates live sessions for tests. Sessions are registered with the server's own hub, and the test defines
 * the client's responses.
 */
import { randomBytes } from 'node:crypto'
import type { KickReason } from '@scriptward/client/live-messages'
import type { Command, Reply } from '../src/protocol/sessions/commands.ts'
import type { Registration, Session } from '../src/protocol/sessions/session.ts'
import { START, type TestServer } from './harness.ts'

export type Owned = Pick<Session, 'customer_id' | 'project_id' | 'script_id' | 'user_key'>

export type LiveSession = Registration & {
  readonly id: string
  readonly session: Session
  /** Commands that reached the client, in order. */
  readonly received: readonly Command[]
  readonly isKicked: () => boolean
  readonly kickedFor: () => KickReason | undefined
}

/** `answer` is called immediately for every command. If it returns nothing, the client stays silent. */
export function joinSession(
  server: TestServer,
  owned: Owned & Partial<Session>,
  answer: (command: Command) => Reply | undefined = () => undefined,
): LiveSession {
  const name = randomBytes(8).toString('hex')
  const session: Session = { ...DEFAULTS, id: `ses_${name}`, exec: `exe_${name}`, ...owned }
  const received: Command[] = []
  let kicked: KickReason | undefined
  const registration = server.deps.sessions.hub.register(session, {
    send: (command) => {
      received.push(command)
      const reply = answer(command)
      if (reply !== undefined) queueMicrotask(() => registration.reply(command.id, reply))
      return true
    },
    answer: () => {},
    kick: (reason) => {
      kicked = reason
    },
    epoch: 1,
    close: () => {},
    update: () => {},
    ping: () => true,
  })
  return {
    ...boundOf(registration),
    id: session.id,
    session,
    received,
    isKicked: () => kicked !== undefined,
    kickedFor: () => kicked,
  }
}

/** Returns a registration's methods as functions that can be destructured. */
export function boundOf(registration: Registration): Registration {
  return {
    reply: (commandId, reply) => registration.reply(commandId, reply),
    acknowledge: (commandId) => registration.acknowledge(commandId),
    call: (call) => registration.call(call),
    report: (reports) => registration.report(reports),
    seen: (now) => registration.seen(now),
    detach: (now) => registration.detach(now),
    leave: () => registration.leave(),
  }
}

const DEFAULTS = {
  executor: 'luajit',
  game_user_id: null,
  place_id: null,
  job_id: null,
  script_version: 1,
  state: 'ready',
  created_at: START,
  last_seen: START,
} as const
