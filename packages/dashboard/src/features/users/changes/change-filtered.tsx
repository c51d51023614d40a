/** Changes all users who match the filters, after a dry run that shows their number and some samples. */
import { type V1ProjectUsersBulkData, v1ProjectUsersBulk } from '@scriptward/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { ErrorMessage } from '../../../components/error-message.tsx'
import { Check } from '../../../components/fields/choice-group.tsx'
import { SelectField } from '../../../components/fields/select-field.tsx'
import { useKept, useKeptState } from '../../../components/fields/use-kept.ts'
import { FormDialog } from '../../../components/overlays/dialog.tsx'
import type { Toast } from '../../../components/overlays/undo-button.tsx'
import { useUndoable } from '../../../components/overlays/undo-change.ts'
import { useFilters } from '../../../lib/address.ts'
import { text } from '../../../messages/text.ts'
import { useCall } from '../../../queries/api.ts'
import { useProject } from '../../../queries/projects.ts'
import { lengthOf, timeOf } from '../edit/expiry.ts'
import { tagsIn } from '../edit/labels.ts'
import { conditionsIn } from '../filters.ts'
import { useShownUsers } from '../queries.ts'
import styles from '../users.module.css'
import { ChangeOptions } from './change-options.tsx'
import { CHANGES, OPTIONS, type Options } from './changes.ts'
import { Samples } from './samples.tsx'

type Body = NonNullable<V1ProjectUsersBulkData['body']>
type Action = Body['action']
const ACTIONS = [
  ...(['extend', 'pause', 'resume', 'blacklist', 'unblacklist'] as const),
  ...(['tag', 'untag', 'plan', 'reset', 'remove'] as const),
] as const satisfies Action[]

type Props = { readonly onToast: (toast: Toast) => void; readonly onClose: () => void }

export function ChangeFiltered({ onToast, onClose }: Props) {
  const t = text.users
  const project = useProject()
  const call = useCall()
  const shown = useShownUsers()
  const showUndoable = useUndoable(onToast)
  const [given] = useFilters()
  const kept = useKept('filtered-change')
  const [action, setAction] = useKeptState<Action>(kept, 'action', 'extend')
  const [options, setOptions] = useKeptState<Options>(kept, 'options', OPTIONS)
  const [isForExpired, setIsForExpired] = useKeptState(kept, 'expired', false)
  const wrong = CHANGES[action].validate(options)
  const isReady = Object.keys(wrong).length === 0 && !isMissing(action, options)
  const filter = conditionsIn(given) ?? {}
  const bodyNow = () => ({ ...orderOf(action, options, isForExpired), filter })
  const to = { ...call, path: { project_id: project.id } }
  const dry = useQuery({
    // The body isn't part of the key, because the end of a block after a set time changes constantly.
    queryKey: ['dry run', project.id, action, options, isForExpired, filter],
    queryFn: async () => (await v1ProjectUsersBulk({ ...to, body: { ...bodyNow(), dry_run: true } })).data,
    enabled: isReady,
    gcTime: 0,
  })
  const apply = useMutation({
    mutationFn: async () => (await v1ProjectUsersBulk({ ...to, body: bodyNow() })).data,
    onSuccess: ({ count, change_id }) => {
      showUndoable(t.changes[action].done(count), change_id)
      kept.forget(onClose)
    },
    onSettled: () => shown.again(),
  })
  return (
    <FormDialog
      kept={kept}
      title={t.filteredTitle}
      submit={t.changes[action].submit}
      isDanger={action === 'remove' || action === 'blacklist'}
      isPending={apply.isPending || dry.isPending || dry.data?.count === 0}
      error={apply.error}
      onSubmit={() => isReady && apply.mutate()}
      onClose={onClose}
    >
      <p>{t.filteredWords}</p>
      <SelectField
        label={t.filteredAction}
        value={action}
        options={ACTIONS.map((id) => [id, t.changes[id].action])}
        onChange={(event) => setAction(event.target.value as Action)}
      />
      <p className="hint">{action === 'extend' ? t.all.compensate.words : t.changes[action].words}</p>
      {action !== 'reset' && (
        <ChangeOptions id={action} options={options} wrong={wrong} onChange={setOptions} />
      )}
      {action === 'extend' && (
        <Check label={t.alsoExpired} checked={isForExpired} onChange={setIsForExpired} />
      )}
      <div className={styles.verdict} role="status">
        {dry.data ? <strong>{t.willChange(dry.data.count)}</strong> : isReady && t.counting}
        <ErrorMessage of={dry.error} />
        {dry.data && <Samples samples={dry.data.samples ?? []} count={dry.data.count} />}
      </div>
    </FormDialog>
  )
}

/** Whether required input is still missing. This alone is not shown as an error. */
function isMissing(action: Action, { tags }: Options): boolean {
  return (action === 'tag' || action === 'untag') && tagsIn(tags).length === 0
}

function orderOf(action: Action, options: Options, extend_expired: boolean): Body {
  const { length, end, reason, tags, plan } = options
  if (action === 'tag' || action === 'untag') return { action, tags: tagsIn(tags) }
  if (action === 'plan') return { action, plan_id: plan }
  if (action === 'extend') return { action, duration: lengthOf(length) ?? 1, extend_expired }
  if (action === 'blacklist') return { action, expires: timeOf(end) ?? 0, reason: reason.trim() }
  return { action }
}
