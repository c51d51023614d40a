/** One use of every store function of denials and of members of chat servers, for `exercises.ts`. */
import * as chatMembers from '../../src/store/chat-members.ts'
import * as denials from '../../src/store/denials.ts'
import type { ExercisesOf } from './exercises.ts'
import { AT, chatMember, denial, project, user } from './rows.ts'

const OF_USER = { project_id: project.id, user_key: user.key }
const OF_PROJECT = { project_id: project.id, user_key: null }

export const ofDenials: ExercisesOf<typeof denials> = {
  listDenials: async (tx) => {
    await denials.insertDenial(tx, { ...denial, value: 'second' })
    await denials.insertDenial(tx, { ...denial, ...OF_PROJECT })
    return [
      await denials.listDenials(tx, OF_USER, 10),
      await denials.listDenials(tx, OF_USER, 1),
      await denials.listDenials(tx, OF_PROJECT, 10),
    ]
  },
  insertDenial: (tx) => denials.insertDenial(tx, { ...denial, ...OF_PROJECT, allowed_at: AT + 7 }),
  updateRepeatedDenial: async (tx) => {
    const [newest] = await denials.listDenials(tx, OF_USER, 1)
    const repeat = { seq: newest?.seq ?? 0, left_out: 3, allowed_at: AT + 8, last_at: AT + 9 }
    await denials.updateRepeatedDenial(tx, repeat)
  },
  deleteSurplusDenials: async (tx) => {
    for (const value of ['2', '3']) await denials.insertDenial(tx, { ...denial, value })
    await denials.insertDenial(tx, { ...denial, ...OF_PROJECT })
    const none = await denials.deleteSurplusDenials(tx, OF_USER, 3)
    return [none, await denials.deleteSurplusDenials(tx, OF_USER, 1)]
  },
  deleteOldDenials: async (tx) => {
    await denials.insertDenial(tx, { ...denial, last_at: AT + 1 })
    const none = await denials.deleteOldDenials(tx, AT, 10)
    return [none, await denials.deleteOldDenials(tx, AT + 1, 10)]
  },
}

const JOINING = { projectId: project.id, chatIds: [chatMember.chat_id, '12', '13'], now: AT + 1 }
const ALL = { from: 0, limit: 10 }

export const ofChatMembers: ExercisesOf<typeof chatMembers> = {
  findChatMember: async (tx) => [
    await chatMembers.findChatMember(tx, project.id, chatMember.chat_id),
    await chatMembers.findChatMember(tx, project.id, '12'),
    await chatMembers.findChatMember(tx, 'prj_2', chatMember.chat_id),
  ],
  listChatMembers: async (tx) => {
    await chatMembers.insertChatMembers(tx, JOINING)
    return [
      await chatMembers.listChatMembers(tx, project.id, ALL),
      await chatMembers.listChatMembers(tx, project.id, { from: 1, limit: 1 }),
      await chatMembers.listChatMembers(tx, 'prj_2', ALL),
    ]
  },
  countChatMembers: (tx) => chatMembers.countChatMembers(tx, project.id),
  insertChatMembers: async (tx) => [
    await chatMembers.insertChatMembers(tx, JOINING),
    await chatMembers.insertChatMembers(tx, JOINING),
  ],
  deleteChatMembers: (tx) => chatMembers.deleteChatMembers(tx, project.id, [chatMember.chat_id, 'none']),
  deleteOtherChatMembers: async (tx) => {
    await chatMembers.insertChatMembers(tx, JOINING)
    return chatMembers.deleteOtherChatMembers(tx, project.id, ['13', 'none'])
  },
}
