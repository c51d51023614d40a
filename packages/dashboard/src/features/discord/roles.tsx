/** Roles that customers have through their plan, and those that the bot could not add or remove. */
import { ErrorMessage } from '../../components/error-message.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { Panel } from '../../components/panel.tsx'
import { type Column, Table } from '../../components/table/table.tsx'
import { Time } from '../../components/time.tsx'
import { addressOf } from '../../lib/address.ts'
import { text } from '../../messages/text.ts'
import { useProject } from '../../queries/projects.ts'
import { type Bot, type Servers, useCompare, useServers, WRITE } from './queries.ts'

const t = text.discord
type Problem = Bot['role_problems'][number]

export function Roles({ bot }: { bot: Bot }) {
  const { id } = useProject()
  const { data } = useServers(bot)
  const showToast = useToast()
  const compare = useCompare(() => showToast({ title: t.compareStarted }))
  const { role_problems, roles_given, compared_at } = bot
  return (
    <Panel
      title={t.roles}
      hint={t.rolesHint}
      actions={
        <>
          <a className="button" href={addressOf.project(id, 'plans')}>
            {t.plans}
          </a>
          <GuardedButton needs={WRITE} disabled={compare.isPending} onClick={() => compare.mutate()}>
            {t.compare}
          </GuardedButton>
        </>
      }
    >
      <ErrorMessage of={compare.error} />
      <p>
        {t.given(roles_given)}
        {compared_at !== null && (
          <>
            {' '}
            {t.compared} <Time at={compared_at} />.
          </>
        )}
      </p>
      {role_problems.length > 0 && (
        <>
          <h3>{t.problems}</h3>
          <Table
            label={t.problems}
            rows={role_problems}
            keyOf={({ chat_id, role_id }) => `${chat_id} ${role_id}`}
            columns={columnsOf(id, data?.roles)}
          />
        </>
      )}
    </Panel>
  )
}

function columnsOf(projectId: string, roles: Servers['roles'] | undefined): readonly Column<Problem>[] {
  const nameOf = (id: string) => roles?.find((role) => role.id === id)?.name
  return [
    {
      id: 'account',
      title: t.account,
      isMain: true,
      cell: ({ chat_id }) => <a href={addressOf.project(projectId, 'users', { chat_id })}>{chat_id}</a>,
    },
    {
      id: 'problem',
      title: t.problem,
      place: 'below',
      cell: ({ role_id, problem }) => (
        <>
          <bdi>{nameOf(role_id) ?? t.roleId(role_id)}</bdi>: {t.problemTexts[problem]}
        </>
      ),
    },
    { id: 'since', title: t.since, cell: ({ changed_at }) => <Time at={changed_at} /> },
  ]
}
