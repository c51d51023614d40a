/** Members of the project's Discord server, as reported by the bot. A project can require membership. */
import {
  v1ChatMembersAdd,
  v1ChatMembersList,
  v1ChatMembersRemove,
  v1ChatMembersReplace,
} from '@scriptward/sdk'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ErrorMessage } from '../../components/error-message.tsx'
import { AreaField } from '../../components/fields/area-field.tsx'
import { Form } from '../../components/fields/form.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { useKept, useKeptState } from '../../components/fields/use-kept.ts'
import { GuardedButton } from '../../components/guarded.tsx'
import { ConfirmDialog, Dialog } from '../../components/overlays/dialog.tsx'
import { Time } from '../../components/time.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { addressOf } from '../../lib/address.ts'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'
import styles from './users.module.css'

const WRITE = 'users:write'
const PAGE = 200

export function ChatMembers({ onClose }: { onClose: () => void }) {
  const t = text.users
  const project = useProject()
  const list = useMembers()
  const members = list.data?.pages.flatMap((page) => page.members) ?? []
  const total = list.data?.pages[0]?.total ?? 0
  return (
    <Dialog title={t.chatMembers} isWide onClose={onClose}>
      <p className="hint">
        {project.require_join_chat_server ? t.chatNeeded : t.chatNotNeeded}{' '}
        <a href={addressOf.project(project.id, 'discord')}>{t.chatToBot}</a>
      </p>
      <ChangeMembers total={total} />
      <QueryBoundary query={list}>
        <p role="status">{t.chatTotal(total)}</p>
        {members.length > 0 && (
          <section className={styles.scroll} aria-label={t.chatMembers}>
            <table>
              <thead>
                <tr>
                  <th scope="col">{t.chatId}</th>
                  <th scope="col">{t.addedAt}</th>
                </tr>
              </thead>
              <tbody>
                {members.map(({ chat_id, added_at }) => (
                  <tr key={chat_id}>
                    <td>
                      <code>{chat_id}</code>
                    </td>
                    <td>
                      <Time at={added_at} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        )}
        {list.hasNextPage && (
          <div className="bar">
            <button type="button" disabled={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
              {text.more}
            </button>
          </div>
        )}
      </QueryBoundary>
    </Dialog>
  )
}

function useMembers() {
  const call = useCall()
  const { id } = useProject()
  return useInfiniteQuery({
    queryKey: ['chat members', id],
    queryFn: async ({ pageParam }) =>
      (
        await v1ChatMembersList({
          ...call,
          path: { project_id: id },
          query: { from: pageParam, limit: PAGE },
        })
      ).data,
    initialPageParam: 0,
    getNextPageParam: ({ total }, pages) => (pages.length * PAGE < total ? pages.length * PAGE : undefined),
  })
}

type How = 'add' | 'remove' | 'replace'

function ChangeMembers({ total }: { total: number }) {
  const t = text.users
  const call = useCall()
  const { id } = useProject()
  const kept = useKept('discord-members')
  const [typed, setTyped] = useKeptState(kept, 'ids', '')
  const [isAsked, setIsAsked] = useState(false)
  const chat_ids = idsIn(typed)
  const to = { ...call, path: { project_id: id }, body: { chat_ids } }
  const send = async (how: How) => {
    if (how === 'add') return t.chatAdded((await v1ChatMembersAdd(to)).data.added)
    if (how === 'remove') return t.chatRemoved((await v1ChatMembersRemove(to)).data.removed)
    const { added, removed } = (await v1ChatMembersReplace(to)).data
    return `${t.chatAdded(added)} ${t.chatRemoved(removed)}`
  }
  const change = useChange(async (how: How) => {
    const done = await send(how)
    kept.forgetSent('ids', typed)
    return done
  })
  const start = (how: How) => change.mutateAsync(how).then(() => setTyped(''))
  const errors = useFormErrors(change.error, { too_many_chat_members: 'chat_ids' })
  const isNone = chat_ids.length === 0 || change.isPending
  return (
    <>
      <Form kept={kept} className="stack tight" onSubmit={(event) => event.preventDefault()}>
        <AreaField
          label={t.chatIds}
          hint={t.chatIdsHint}
          error={errors.of('chat_ids')}
          value={typed}
          onChange={setTyped}
        />
        <div className="bar">
          <GuardedButton
            needs={WRITE}
            className="main"
            disabled={isNone}
            onClick={() => void start('add').catch(() => {})}
          >
            {t.chatAdd(chat_ids.length)}
          </GuardedButton>
          <GuardedButton needs={WRITE} disabled={isNone} onClick={() => void start('remove').catch(() => {})}>
            {t.chatRemove}
          </GuardedButton>
          <GuardedButton needs={WRITE} className="danger" disabled={isNone} onClick={() => setIsAsked(true)}>
            {t.chatReplace}
          </GuardedButton>
        </div>
        {change.data !== undefined && <p role="status">{change.data}</p>}
        <ErrorMessage of={errors.rest} />
      </Form>
      {isAsked && (
        <ConfirmDialog
          title={t.chatReplaceTitle}
          words={t.chatReplaceWords(total, chat_ids.length)}
          submit={t.chatReplace}
          onConfirm={() => start('replace')}
          onClose={() => setIsAsked(false)}
        />
      )}
    </>
  )
}

/** Splits a list of IDs at line breaks, commas and spaces. */
function idsIn(typed: string): string[] {
  return [...new Set(typed.split(/[\s,;]+/).filter((each) => each !== ''))]
}
