/** The message for each kick reason. */
import { KICKS, type KickReason, kick } from '@scriptward/client/live-messages'
import { describe, expect, it } from 'vitest'
import { LANGUAGES } from '../../pages/language.ts'
import { kicksIn, ownKickMessages } from './kick-words.ts'

const REASONS = Object.keys(KICKS) as KickReason[]

describe.each(LANGUAGES.filter((one) => one !== 'en'))('a kick in %s', (language) => {
  it.each(REASONS)('has a translated message of at most 100 characters, and its own code: %s', (reason) => {
    const { message, ...rest } = kicksIn(language)[reason]
    expect(message.length).toBeLessThanOrEqual(100)
    expect(message).not.toBe(KICKS[reason].message)
    expect({ ...rest, message: KICKS[reason].message }).toEqual(kick(reason))
  })
})

it.each([null, 'en', 'en-GB', 'zh', 'constructor'])(
  'a run with the language %s gets English messages',
  (tag) => {
    expect(kicksIn(tag).key_expired).toEqual(kick('key_expired'))
    expect(ownKickMessages(tag ?? undefined)).toEqual({})
  },
)

it('loaders get the messages of the kicks that they raise themselves', () => {
  const { session_lost, heartbeat_lost } = kicksIn('pt-BR')
  const messages = { session_lost: session_lost.message, heartbeat_lost: heartbeat_lost.message }
  expect(ownKickMessages('pt-BR')).toEqual({ kicks: messages })
})
