/**
 * Creates a block for one of a user's targets or for a typed value, after a preview of the affected
 * users.
 */
import { v1BansCreate } from '@scriptward/sdk'
import { useState } from 'react'
import { Field } from '../../components/fields/field.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import { SelectField } from '../../components/fields/select-field.tsx'
import { useKept, useKeptState } from '../../components/fields/use-kept.ts'
import { FormDialog } from '../../components/overlays/dialog.tsx'
import { useToast } from '../../components/overlays/toasts.tsx'
import { text } from '../../messages/text.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { useProject } from '../../queries/projects.ts'
import { NEVER, timeOf } from '../users/edit/expiry.ts'
import { ExpiryField } from '../users/edit/expiry-field.tsx'
import styles from '../users/users.module.css'
import { type BanKind, type BanTarget, KINDS, useBanPreview } from './queries.ts'

type Props = {
  /** The user to block, and the kinds of targets that are known. Omit it to let the author type a target. */
  readonly of?: { readonly user_key: string; readonly kinds: readonly BanKind[] }
  /** A denied device's network, of which only the first half is known. */
  readonly network?: string | undefined
  readonly onClose: () => void
}

const WRONG_VALUE = { no_device_known: 'value', no_network_known: 'value', no_chat_known: 'value' }

export function NewBan({ of, network = '', onClose }: Props) {
  const t = text.bans
  const kept = useKept('block', of?.user_key ?? network)
  const [kind, setKind] = useKeptState<BanKind>(kept, 'kind', of?.kinds[0] ?? 'network')
  const [value, setValue] = useKeptState(kept, 'value', network)
  const [reason, setReason] = useKeptState(kept, 'reason', '')
  const [end, setEnd] = useKeptState(kept, 'end', NEVER)
  const [typed, setTyped] = useState<BanTarget | null>(null)
  const shown = of === undefined ? typed : { kind, user_key: of.user_key }
  const preview = useBanPreview(shown)
  const create = useCreate(() => kept.forget(onClose))
  const errors = useFormErrors(create.error ?? preview.error, WRONG_VALUE)
  const isShown = of !== undefined || (shown !== null && 'value' in shown && shown.value === value.trim())
  const isReady = isShown && shown?.kind === kind && preview.isSuccess
  const expires = timeOf(end)
  const submit = () => {
    if (!errors.check({ end: expires === undefined ? text.users.noTime : undefined })) return
    if (isReady && shown) create.mutate({ ...shown, reason: reason.trim(), expires: expires ?? 0 })
    else if (of === undefined) setTyped({ kind, value: value.trim() })
  }
  return (
    <FormDialog
      kept={kept}
      title={of === undefined ? t.newBan : t.banUserTitle}
      submit={isReady || of !== undefined ? t.ban : t.show}
      isDanger={isReady}
      isPending={
        create.isPending ||
        preview.isFetching ||
        (of !== undefined && !isReady) ||
        (isReady && preview.data.ban_id !== null)
      }
      error={errors.rest}
      onClose={onClose}
      onSubmit={submit}
    >
      <SelectField
        label={t.kind}
        hint={of === undefined ? undefined : t.ofUser[kind]}
        value={kind}
        options={(of?.kinds ?? KINDS).map((each) => [each, t.kinds[each]])}
        onChange={(event) => setKind(event.target.value as BanKind)}
      />
      {of === undefined && (
        <Field
          label={t.values[kind]}
          hint={network !== '' && kind === 'network' ? t.halfKnown : t.valueHints[kind]}
          error={isShown ? errors.of('value') : undefined}
          autoComplete="off"
          spellCheck={false}
          required
          value={value}
          onChange={(event) => setValue(event.target.value)}
        />
      )}
      <BanTerms reason={reason} onReason={setReason} end={end} onEnd={setEnd} errorOf={errors.of} />
      <BanPreview isLoading={preview.isFetching} found={isReady ? preview.data : undefined} />
    </FormDialog>
  )
}

function useCreate(onClose: () => void) {
  const call = useCall()
  const showToast = useToast()
  const { id } = useProject()
  return useChange(async (body: BanTarget & { reason: string; expires: number }) => {
    const { data } = await v1BansCreate({ ...call, path: { project_id: id }, body })
    showToast({ title: text.bans.banned(data.ban.value) })
    onClose()
  })
}

type TermsProps = {
  readonly reason: string
  readonly onReason: (reason: string) => void
  readonly end: typeof NEVER
  readonly onEnd: (end: typeof NEVER) => void
  readonly errorOf: (field: string) => string | undefined
}

export function BanTerms({ reason, onReason, end, onEnd, errorOf }: TermsProps) {
  const t = text.bans
  return (
    <>
      <Field
        label={t.reason}
        hint={t.reasonHint}
        error={errorOf('reason')}
        dir="auto"
        value={reason}
        onChange={(event) => onReason(event.target.value)}
      />
      <ExpiryField label={t.ends} value={end} error={errorOf('end') ?? errorOf('expires')} onChange={onEnd} />
    </>
  )
}

type BanPreviewProps = {
  readonly isLoading: boolean
  readonly found: { value: string; users: number; running: number; ban_id: string | null } | undefined
}

function BanPreview({ isLoading, found }: BanPreviewProps) {
  const t = text.bans
  if (isLoading) return <p role="status">{t.counting}</p>
  if (found === undefined) return null
  return (
    <div className={styles.verdict} role="status" aria-label={t.preview}>
      <p>
        <strong>{t.hits(found.value)}</strong>
      </p>
      {found.ban_id === null ? (
        <p className="hint">
          {t.hitUsers(found.users)} {t.hitRuns(found.running)}
        </p>
      ) : (
        <p className="hint">{t.isBanned}</p>
      )}
    </div>
  )
}
