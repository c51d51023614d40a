/** Tests which membership lookups are sent to Discord. */
import { expect, it } from 'vitest'
import { MemberQuestions } from './member-questions.ts'

const PAUSE_MS = 15_000

function open() {
  const questions = new MemberQuestions()
  const sent: string[] = []
  const replies = new Map<string, PromiseWithResolvers<boolean | undefined>>()
  const ask = (chatId: string, now = 0, projectId = 'prj_1') =>
    questions.ask({ projectId, chatId, now }, () => {
      sent.push(chatId)
      const reply = Promise.withResolvers<boolean | undefined>()
      replies.set(chatId, reply)
      return reply.promise
    })
  return { sent, ask, reply: (chatId: string, answer?: boolean) => replies.get(chatId)?.resolve(answer) }
}

it('after a failure, a project asks nothing for a while, and other projects do', async () => {
  const { sent, ask, reply } = open()
  const failed = ask('jo')
  reply('jo')
  expect(await failed).toBeUndefined()
  expect(await ask('kim', PAUSE_MS - 1)).toBeUndefined()
  void ask('lee', 0, 'prj_2')
  const later = ask('kim', PAUSE_MS)
  reply('kim', true)
  expect(await later).toBe(true)
  expect(sent).toEqual(['jo', 'lee', 'kim'])
})

it('a question that failed while others were answered only waited too long, and stops none', async () => {
  const { ask, reply } = open()
  const first = ask('jo')
  const second = ask('kim')
  reply('jo', true)
  expect(await first).toBe(true)
  reply('kim')
  expect(await second).toBeUndefined()
  const third = ask('lee')
  reply('lee', false)
  expect(await third).toBe(false)
})

it('a question that throws frees its place', async () => {
  const questions = new MemberQuestions()
  const question = { projectId: 'prj_1', chatId: 'jo', now: 0 }
  const broken = () => Promise.reject(new Error('the database is closed'))
  for (let round = 0; round < 20; round += 1) await expect(questions.ask(question, broken)).rejects.toThrow()
  expect(await questions.ask(question, () => Promise.resolve(true))).toBe(true)
})
