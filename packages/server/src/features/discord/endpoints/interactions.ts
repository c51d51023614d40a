/**
 * Receives Discord's signed requests: commands, button presses, submitted forms and autocompletion. If
 * Discord gets no first response within three seconds, it shows the user an error.
 */
import type { KeyObject } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { Type } from 'typebox'
import { type Endpoint, endpoint, type Origin, type Text } from '../../../api/endpoint.ts'
import { refuse } from '../../../api/refusals.ts'
import * as shape from '../../../api/shapes.ts'
import type { Deps } from '../../../deps.ts'
import { findLanguage } from '../../../pages/language.ts'
import { DiscordFailure } from '../../../platform/discord/api.ts'
import { isSigned } from '../../../platform/discord/signature.ts'
import { withoutSecrets } from '../../../platform/secrets/redact.ts'
import { problem } from '../../chat/act.ts'
import type { Answer, Asked, Given, RoleState } from '../../chat/command.ts'
import { clientUrls } from '../../executions/endpoints/addresses.ts'
import { isBlacklisted } from '../../key-validity/blacklist.ts'
import { botOf, scopesOfStaff } from '../bot.ts'
import { type BotSubject, findBotSubject } from '../store/bot-subjects.ts'
import { updateBot } from '../store/bots.ts'
import { deleteClaim, insertClaim } from '../store/claims.ts'
import { syncMemberNow } from '../sync-roles.ts'
import { findAttachment } from './attachment.ts'
import { INTERACTIONS, type Interaction, type Request, readRequest, type Sender, senderOf } from './read.ts'
import { EPHEMERAL, formJson, messageJson, RESPONSES, suggestionsJson } from './render.ts'

/** Maximum body size in bytes. This is enough for a command's options and everything that they refer to. */
const MAX_BODY_LENGTH = 262_144
/** Leaves a second for the response to reach Discord. */
const FIRST_ANSWER_MS = 2000
const SUGGESTIONS_MS = 2500
const FOLLOW_UP_MS = 15_000
/** Minimum interval between updates to the bot's last interaction time. */
const MARK_MS = 60_000

const receive = endpoint({
  name: 'discord.interactions',
  summary: 'Receive interactions from Discord',
  description:
    "Discord sends the commands, buttons and forms of a project's bot to this endpoint, signed with the application's key. When you set up the bot in the project's settings, this URL is registered with Discord automatically.",
  example: {
    body: { type: 1, id: '184650129374650220', application_id: '184650129374650213' },
    answer: '{"type":1}',
  },
  method: 'POST',
  path: '/hooks/discord/:project_id',
  auth: 'client',
  scope: null,
  params: shape.ProjectParams,
  body: Type.Unsafe<Buffer>({
    type: 'object',
    description: 'interaction from Discord. Its raw bytes are signed',
  }),
  bodyLimit: MAX_BODY_LENGTH,
  addressLimit: 'chatAddress',
  consumes: 'signedJson',
  produces: 'text',
  response: Type.String({ description: 'response to the interaction, as JSON' }),
  failures: { invalid_signature: -1 },
  async handle({ params, body, origin }, deps) {
    const interaction = await readSigned(deps, params.project_id, { body, origin })
    if (interaction === undefined) return refuse('invalid_signature')
    if (interaction.type === INTERACTIONS.ping) return json({ type: RESPONSES.pong })
    const found = await findBotSubject(deps.db.readPoint, params.project_id)
    if (found?.bot.application_id !== interaction.application_id) return refuse('invalid_signature')
    return json(await answerInteraction(deps, found, interaction, origin))
  },
})

export const interactions: readonly Endpoint[] = [receive]

const json = (value: object): Text => ({
  status: 200,
  contentType: 'application/json; charset=utf-8',
  text: JSON.stringify(value),
})

type Signed = { readonly body: Buffer; readonly origin: Origin }

/**
 * Returns undefined if the project is missing, or if the signature is wrong or outdated. Callers can't tell
 * which.
 */
async function readSigned(
  deps: Deps,
  projectId: string,
  { body, origin }: Signed,
): Promise<Interaction | undefined> {
  const { 'x-signature-ed25519': hex, 'x-signature-timestamp': timestamp } = origin.headers
  if (typeof hex !== 'string' || typeof timestamp !== 'string') return undefined
  const [now, { keys }] = [deps.now(), deps.discord]
  const isBy = (key: KeyObject | undefined) =>
    key !== undefined && isSigned(key, { hex, timestamp }, body, now)
  const isRight =
    isBy(await keys.find(deps.db, projectId, now)) || isBy(await keys.findAgain(deps.db, projectId, now))
  if (!isRight) return undefined
  try {
    return JSON.parse(body.toString('utf8')) as Interaction
  } catch {
    return undefined
  }
}

async function answerInteraction(
  deps: Deps,
  { bot, ...subject }: BotSubject,
  interaction: Interaction,
  origin: Origin,
): Promise<object> {
  const isTyping = interaction.type === INTERACTIONS.autocomplete
  const sender = senderOf(interaction)
  const isServed = !isBlacklisted(subject.customer, deps.now())
  if (isTyping && (!isServed || interaction.guild_id !== bot.server_id)) return suggestionsJson([])
  if (!isServed) return message(problem("This project's account is blocked, so this bot doesn't work."))
  if (sender === undefined || interaction.guild_id === undefined || interaction.guild_id !== bot.server_id)
    return message(problem("This bot only works on its project's server."))
  const asked = askedBy(deps, { bot, ...subject }, { sender, interaction, origin })
  const request = readRequest(interaction)
  if (isTyping) return suggest(asked, request)
  if (request === undefined)
    return message(problem('This command no longer exists. Ask the staff to post the panel again.'))
  const refused = await refuseRequest(asked, request)
  if (refused) return message(refused)
  const missing = (request.command.options ?? []).filter(
    ({ name, isRequired }) => isRequired && request.given[name] === undefined,
  )
  if (missing.length > 0) return formJson(request.command, request.given, missing)
  if (!(await claim(deps, bot, interaction.id, request)))
    return message(problem('This has already been done.'))
  return answerInTime(asked, { bot, request, interaction })
}

function askedBy(
  deps: Deps,
  { bot, customer, project }: BotSubject,
  { sender, interaction, origin }: { sender: Sender; interaction: Interaction; origin: Origin },
): Asked {
  const [clientUrl = ''] = clientUrls(deps.config, origin.headers)
  return {
    deps: { ...deps, ...origin.own },
    subject: { customer, project },
    person: { id: sender.id, name: sender.name, scopes: scopesOfStaff(bot, sender.roleIds) },
    language: findLanguage('locale' in interaction ? interaction.locale : undefined) ?? 'en',
    clientUrl,
    requestId: origin.requestId,
    getRole: () => roleOf(deps, project.id, sender.id),
  }
}

async function roleOf(deps: Deps, projectId: string, chatId: string): Promise<RoleState> {
  const state = await syncMemberNow(deps, projectId, chatId)
  return state === undefined || state instanceof DiscordFailure ? 'failed' : state
}

async function refuseRequest(
  { deps, person, subject }: Asked,
  { command }: Request,
): Promise<Answer | undefined> {
  const who = `${subject.project.id} ${person.id}`
  const waitMs = await deps.limits.attempts.takeAttempt('chatPerson', who, deps.now())
  if (waitMs > 0) return problem(`Too many commands. Try again in ${Math.ceil(waitMs / 1000)} seconds.`)
  const { scope } = command
  return scope === null || person.scopes.has(scope)
    ? undefined
    : problem(`You can't use this command. It requires a role with the ${scope} permission.`)
}

/** Returns false if the interaction was sent twice, or if a single-use button was already pressed. */
async function claim(
  { unauditedDb: db, now }: Deps,
  { project_id, last_interaction_at }: BotSubject['bot'],
  interactionId: string,
  { singleUse }: Request,
): Promise<boolean> {
  const at = now()
  return db.transaction(async (tx) => {
    if (at - (last_interaction_at ?? 0) > MARK_MS)
      await updateBot(tx, project_id, { last_interaction_at: at })
    const ids = [interactionId, ...(singleUse === undefined ? [] : [singleUse])]
    for (const id of ids) if (!(await insertClaim(tx, { projectId: project_id, id, at }))) return false
    return true
  })
}

/** A rejected command changed nothing, so its button may be pressed again. */
async function releaseButton({ deps, subject }: Asked, { singleUse }: Request): Promise<void> {
  if (singleUse === undefined) return
  await deps.unauditedDb.transaction((tx) => deleteClaim(tx, subject.project.id, singleUse))
}

type Running = {
  readonly bot: BotSubject['bot']
  readonly request: Request
  readonly interaction: Interaction
}

/** Defers the answer if the command takes longer than Discord waits. */
async function answerInTime(asked: Asked, running: Running): Promise<object> {
  const { command, given, attachment } = running.request
  const file =
    attachment === undefined
      ? undefined
      : findAttachment(asked.deps.discord.api, running.interaction, attachment)
  const answering = answerOf(asked, given, async () => {
    const answer = await command.run(asked, given, file)
    if (answer.tone === 'bad') await releaseButton(asked, running.request)
    return answer
  })
  const late = Symbol('late')
  const waiting = new AbortController()
  const first = await Promise.race([answering, setTimeout(FIRST_ANSWER_MS, late, waiting)])
  waiting.abort()
  if (typeof first !== 'symbol') return message(first)
  void answering.then((answer) => followUp(asked, running, answer)).catch((error) => noteLate(asked, error))
  return { type: RESPONSES.deferred, data: command.isPublic ? {} : { flags: EPHEMERAL } }
}

/** Logs an exception and answers with an error message. */
async function answerOf(
  { deps, requestId }: Asked,
  given: Given,
  run: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await run()
  } catch (error) {
    // An option may contain a license key, so the stack trace is redacted.
    const stack = withoutSecrets(String((error as Error).stack), Object.values(given))
    deps.log.warn({ request_id: requestId, error: stack }, 'a chat command failed')
    return problem(`Something went wrong. If it happens again, send the staff this ID: ${requestId}`)
  }
}

async function followUp(asked: Asked, { bot, interaction }: Running, answer: Answer): Promise<void> {
  const { flags: _, ...body } = messageJson(answer) as { flags?: number }
  const path = `/webhooks/${interaction.application_id}/${interaction.token}/messages/@original` as const
  const request = { method: 'PATCH', path, body, timeoutMs: FOLLOW_UP_MS } as const
  const { deps } = asked
  const done = await deps.discord.api.followUp(botOf(deps, bot), request)
  if (done instanceof DiscordFailure) noteLate(asked, done.kind)
}

function noteLate({ deps, requestId }: Asked, failure: unknown): void {
  deps.log.warn(
    { request_id: requestId, failure: String(failure) },
    'a late answer could not be sent to Discord',
  )
}

async function suggest(asked: Asked, request: Request | undefined): Promise<object> {
  const option = request?.command.options?.find(({ name }) => name === request.focused)
  const { scope = null } = request?.command ?? {}
  if (!option?.suggest || (scope !== null && !asked.person.scopes.has(scope))) return suggestionsJson([])
  const waiting = new AbortController()
  const found = option.suggest(asked, request?.given[option.name] ?? '').catch(() => [])
  const first = await Promise.race([found, setTimeout(SUGGESTIONS_MS, [], waiting)])
  waiting.abort()
  return suggestionsJson(first)
}

function message(answer: Answer): object {
  return { type: RESPONSES.message, data: messageJson(answer) }
}
