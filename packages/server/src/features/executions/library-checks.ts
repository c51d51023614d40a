/**
 * Key checks by the library for script hubs. Devices are recognized as in runs, so a key that a loader has
 * bound is valid on the same device. If the key is denied, the response includes the message and link that a
 * run would get.
 */
import { createHash } from 'node:crypto'
import { signLibraryAnswer } from '@scriptward/client/check-answers'
import { BadHello, readLibraryCheck } from '@scriptward/client/hello'
import { type Denial, denial, type LibraryCheck } from '@scriptward/client/messages'
import { fromB64u } from '@scriptward/client/wire'
import { Refused, refuseMember } from '../../api/refusals.ts'
import type { Deps } from '../../deps.ts'
import { isGiven } from '../abuse/attempts.ts'
import { findGetKeyUrl, isCurable } from '../ads/urls.ts'
import { type Device, readDevice } from '../devices/device-data.ts'
import { isTypo } from '../projects/key-formats.ts'
import type { CheckableRow } from '../projects/store/projects.ts'
import { linkOf, withLink } from './denials/denial-links.ts'
import { languageOf, tellDenial, wordDenial } from './denials/denial-words.ts'
import type { Sender } from './exchange.ts'
import { executorOf } from './facts.ts'
import { type CheckVerdict, checkKey, denyNobody, describeCheck, findChecked } from './key-checks.ts'

type Judged = {
  readonly check: LibraryCheck
  readonly project: CheckableRow
  readonly device: Device
  /** Whether the key was not looked up because its check character is wrong. */
  readonly isTypo: boolean
  readonly verdict: CheckVerdict
}

/**
 * Returns the signed response to a request, as JSON. `body` is JSON in base64url, whether it was sent in a
 * query or a body.
 */
export async function answerLibraryCheck(
  deps: Deps,
  body: string,
  { address, traits }: Sender,
): Promise<string | Refused<'not_found' | 'invalid_request'>> {
  const check = readLibraryCheck(fromB64u(body) ?? Buffer.alloc(0))
  if (check instanceof BadHello) return refuseMember(check.member, check.mend)
  const project = await findChecked(deps, check.project_id)
  if (project instanceof Refused) return project
  const projectId = project.id
  const device = readDevice(deps.secrets.fingerprintPepper, { hello: check, traits, projectId })
  const isMistyped = isTypo(project.key_format, check.key)
  const verdict = isMistyped
    ? denyNobody(denial('invalid_key'))
    : await checkKey(deps, { project, key: check.key, fp: check.fp, device, claim: false }, address)
  const judged = { check, project, device, isTypo: isMistyped, verdict }
  const asked = createHash('sha256').update(`lp1 asked\0${body}`).digest('base64url')
  const answer = { ...(await describe(deps, judged)), nonce: check.nonce, asked, st: deps.now() }
  return signLibraryAnswer(deps.secrets.server.signing.privateKey, answer)
}

async function describe(deps: Deps, judged: Judged) {
  const { verdict, project, device, isTypo } = judged
  const { denial: denied, user } = verdict
  // Rate-limited requests must stay cheap, so the page for getting a key is not looked up for them.
  const isLimited = denied?.reason === 'rate_limited'
  const get_key = isLimited
    ? undefined
    : await findGetKeyUrl(deps, denied?.reason, { projectId: project.id, device, user })
  const worded = denied && wordFor(deps, judged, { denied, get_key })
  return {
    ...describeCheck(deps, verdict),
    typo: isTypo,
    message: worded?.message ?? null,
    link: worded?.link ?? null,
    get_key: get_key ?? null,
  }
}

type ToWord = { readonly denied: Denial; readonly get_key: string | undefined }

function wordFor(deps: Deps, { check, project, isTypo }: Judged, { denied, get_key }: ToWord): Denial {
  const { id: project_id, support_url } = project
  const earned = isCurable(denied.reason) && get_key !== undefined ? { ...denied, ad_url: get_key } : denied
  const language = languageOf(check)
  const { config } = deps
  const linked = withLink(earned, linkOf({ config, language }, { project_id, support_url }, earned))
  if (isTypo) return { ...linked, message: tellDenial(language, 'typo') }
  return wordDenial(linked, {
    now: deps.now(),
    language,
    isKeyGiven: isGiven(check.key),
    executor: executorOf(check),
    runtime: check.rt,
  })
}
