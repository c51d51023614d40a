/** The staff command that identifies the key that a leaked script was made for. */
import { Refused } from '../../api/refusals.ts'
import { nameUsers } from '../keys/user-names.ts'
import { listScriptNames, type ScriptName } from '../scripts/store/scripts.ts'
import { keepTrace } from '../traces/kept-traces.ts'
import { countTrace, MAX_TEXT, type Trace, type TracedScript, traceAmong } from '../traces/traces.ts'
import { maskKey } from '../webhooks/events/chat-text.ts'
import { act, actorOf, Problem, problem, refusedAnswer } from './act.ts'
import { findScript, scriptOption } from './choices.ts'
import type { Answer, Asked, AttachedFile, Command, Given } from './command.ts'
import { lines, person, say, strong, type Text, time, value } from './text.ts'

/** Compares only a project's latest scripts, because each may have 50 versions. */
const MAX_SCRIPTS = 20
const MAX_SHOWN = 5
const MB = 1_048_576

const leak: Command = {
  name: 'leak',
  summary: 'Attach a leaked script to find out which key it was delivered to',
  scope: 'scripts:source',
  options: [
    { name: 'file', summary: 'The leaked script, or part of it', kind: 'file', isRequired: true },
    { ...scriptOption, summary: 'The script that was leaked. Default: all scripts' },
  ],
  run: trace,
}

async function trace(asked: Asked, { script: typed }: Given, file?: AttachedFile): Promise<Answer> {
  const scripts = await scriptsToSearch(asked, typed)
  if (scripts instanceof Problem) return scripts.answer
  const sized = checkFile(asked, file)
  if (sized instanceof Problem) return sized.answer
  // The attempt is counted before the download, so that nobody can make the server download an unlimited
  // number of files.
  const refused = await countTrace(asked.deps, asked.subject.customer.id)
  if (refused) return refusedAnswer(refused)
  const text = await readText(sized)
  if (text instanceof Problem) return text.answer
  const found = await traceAmong(asked.deps, { ...asked.subject, scripts }, { text, closed: undefined })
  if (found instanceof Refused) return refusedTrace(found)
  if (found === undefined) return notCopied(scripts.length)
  const { subject, person: by } = asked
  const kept = { actor: actorOf(by), text, found: found.found }
  const within = { project: subject.project, script: found.script }
  const nouns = { script_id: found.script.id }
  const trace_id = await act(asked, { action: 'v1.scripts.trace', nouns }, (on) =>
    keepTrace(on, within, kept),
  )
  return trace_id instanceof Refused ? refusedAnswer(trace_id) : describeFound(asked, found)
}

function refusedTrace(refused: Refused): Answer {
  return refused.reason === 'invalid_request'
    ? problem('This file takes too long to compare. Choose a script, or attach a shorter part of the file.')
    : refusedAnswer(refused)
}

function notCopied(searched: number): Answer {
  const most = searched < MAX_SCRIPTS ? '' : ` Only the ${MAX_SCRIPTS} newest scripts were searched.`
  return problem(
    `This file is not a copy of a protected script from this project.${most} Attach the file exactly as you found it, or choose a script.`,
  )
}

async function scriptsToSearch(
  asked: Asked,
  typed: string | undefined,
): Promise<readonly ScriptName[] | Problem> {
  const { deps, subject } = asked
  if (typed === undefined) {
    const all = await listScriptNames(deps.db.read, subject.customer.id, subject.project.id)
    return all.toReversed().slice(0, MAX_SCRIPTS)
  }
  const chosen = await findScript(asked, typed)
  return chosen instanceof Problem ? chosen : [chosen.script]
}

function checkFile({ deps }: Asked, file: AttachedFile | undefined): AttachedFile | Problem {
  const { scriptLimit } = deps.config
  if (file === undefined) return new Problem(problem('Attach the leaked script.'))
  if (file.size === 0) return new Problem(problem('This file is empty.'))
  if (file.size > scriptLimit)
    return new Problem(
      problem(
        `This file is ${megabytes(file.size)} MB, and the limit is ${megabytes(scriptLimit)} MB. Attach a part of it; a few kilobytes are enough.`,
      ),
    )
  return file
}

/** A few kilobytes are enough to compare, so the rest of a long file is ignored. */
async function readText(file: AttachedFile): Promise<string | Problem> {
  try {
    return (await file.read()).toString('utf8').slice(0, MAX_TEXT)
  } catch {
    return new Problem(problem("The file couldn't be downloaded. Attach it again."))
  }
}

const megabytes = (bytes: number) => (bytes / MB).toFixed(1).replace(/\.0$/, '')

/** A key that the leaked copy may belong to. `certainty` describes how likely that is. */
type Suspect = {
  readonly user_key: string | null
  readonly version: number
  readonly executor: string
  readonly granted_at: number
  readonly certainty: Text
}

async function describeFound(asked: Asked, { script, found }: TracedScript<ScriptName>): Promise<Answer> {
  const suspects = suspectsOf(found)
  const version = found.versions[0]?.version ?? 0
  if (suspects.length === 0)
    return problem(
      say`This is a copy of version ${value(version)} of ${strong(script.name)}, but this part doesn't identify a key. Attach a longer part.`,
    )
  const { deps, subject, person: by } = asked
  const named = await nameUsers(deps.db.read, subject.project.id, suspects.slice(0, MAX_SHOWN))
  // Only staff who may read users see chat accounts and notes.
  const isNamed = by.scopes.has('users:read')
  return {
    title: 'Source of the leak',
    text: say`This is a copy of ${strong(script.name)}. It was delivered to:`,
    fields: named.map((one) => ({
      name: one.user_key === null ? 'A device without a key' : `Key ${maskKey(one.user_key)}`,
      text: lines(
        ...(isNamed && one.chat_id !== null ? [say`${person(one.chat_id)}`] : []),
        ...(isNamed && one.note !== null ? [say`Note: ${value(one.note)}`] : []),
        say`Version ${value(one.version)}, received ${time(one.granted_at)} with ${value(one.executor)}`,
        one.certainty,
      ),
    })),
  }
}

function suspectsOf({ accused, candidates }: Trace): Suspect[] {
  return [
    ...accused.map((one) => ({ ...one, certainty: say`The watermark in this copy is conclusive.` })),
    ...candidates.map((one) => ({
      ...one,
      certainty: one.named
        ? say`The WARD_VARY numbers in this copy are conclusive.`
        : say`Likely, but not certain (${value(Math.floor(one.likelihood * 100))}%). Don't act on this alone.`,
    })),
  ]
}

export const staffLeakCommands: readonly Command[] = [leak]
