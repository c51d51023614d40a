/** Adds or edits a channel: its version, and the keys that get it. */
import { v1ChannelsSet } from '@scriptward/sdk'
import { Check, ChoiceGroup } from '../../../components/fields/choice-group.tsx'
import { Field } from '../../../components/fields/field.tsx'
import { useFormErrors } from '../../../components/fields/form-errors.ts'
import { isSame } from '../../../components/fields/kept-input.ts'
import { SelectField } from '../../../components/fields/select-field.tsx'
import { useKept, useKeptState } from '../../../components/fields/use-kept.ts'
import { FormDialog } from '../../../components/overlays/dialog.tsx'
import { useToast } from '../../../components/overlays/toasts.tsx'
import { text } from '../../../messages/text.ts'
import { useCall, useChange } from '../../../queries/api.ts'
import { usePlans } from '../../../queries/plans.ts'
import { tagsIn } from '../../users/edit/labels.ts'
import { type Script, useVersions } from '../queries.ts'
import type { Channel } from './queries.ts'
import { versionTitle } from './start-release.tsx'

const t = text.releases
const NAME = /^[a-z0-9][a-z0-9_-]{0,31}$/
const MAX_LISTED = 20
const MAX_TAG_LENGTH = 64

type Props = {
  readonly script: Script
  /** Undefined when a channel is added. */
  readonly channel: Channel | undefined
  readonly others: readonly Channel[]
  readonly onClose: () => void
}
type Draft = {
  readonly name: string
  readonly version: number
  readonly tags: string
  readonly plans: readonly string[]
}

export function ChannelForm({ script, channel, others, onClose }: Props) {
  const kept = useKept('channel', `${script.id} ${channel?.name ?? ''}`)
  const [draft, setDraft] = useKeptState(kept, 'draft', draftOf(script, channel))
  const set = (changes: Partial<Draft>) => setDraft({ ...draft, ...changes })
  const save = useSave(script, channel, () => kept.forget(onClose))
  const errors = useFormErrors(save.error)
  const isTaken = channel === undefined && others.some(({ name }) => name === draft.name.trim())
  return (
    <FormDialog
      kept={kept}
      title={channel === undefined ? t.addChannel : t.channelTitle(channel.name)}
      submit={text.save}
      isPending={save.isPending}
      error={errors.rest}
      onClose={onClose}
      onSubmit={() => errors.check(errorsOf(draft, isTaken)) && save.mutate(draft)}
    >
      {channel === undefined && (
        <Field
          label={t.name}
          hint={t.nameHint}
          error={errors.of('channel')}
          autoComplete="off"
          spellCheck={false}
          value={draft.name}
          onChange={(event) => set({ name: event.target.value })}
        />
      )}
      <VersionField
        script={script}
        isNew={channel === undefined}
        error={errors.of('version')}
        value={draft.version}
        onChange={(version) => set({ version })}
      />
      <Field
        label={t.tags}
        hint={t.tagsHint}
        error={errors.of('tags')}
        autoComplete="off"
        dir="auto"
        value={draft.tags}
        onChange={(event) => set({ tags: event.target.value })}
      />
      <PlansField chosen={draft.plans} error={errors.of('plans')} onChange={(plans) => set({ plans })} />
    </FormDialog>
  )
}

function draftOf({ version: live }: Script, channel: Channel | undefined): Draft {
  const { name, version, tags, plans } = channel ?? { name: '', version: live, tags: [], plans: [] }
  return { name, version, tags: tags.join(', '), plans }
}

function errorsOf(draft: Draft, isTaken: boolean) {
  const tags = tagsIn(draft.tags)
  const areTagsWrong = tags.length > MAX_LISTED || tags.some((tag) => tag.length > MAX_TAG_LENGTH)
  const isNamed = NAME.test(draft.name.trim())
  return {
    channel: isTaken ? t.nameTaken : isNamed ? undefined : t.nameWrong,
    tags: areTagsWrong ? t.tagsWrong : undefined,
    plans: draft.plans.length > MAX_LISTED ? t.plansWrong : undefined,
  }
}

/**
 * Sends only changed fields, so that other people's changes are kept. In addition, sending the version would
 * end an open release.
 */
function useSave(script: Script, channel: Channel | undefined, onClose: () => void) {
  const call = useCall()
  const showToast = useToast()
  return useChange(async (draft: Draft) => {
    const name = draft.name.trim()
    const path = { script_id: script.id, channel: name }
    const tags = tagsIn(draft.tags)
    const body = {
      ...(draft.version !== channel?.version && { version: draft.version }),
      ...(!isSame(tags, channel?.tags) && { tags }),
      ...(!isSame(draft.plans, channel?.plans) && { plans: [...draft.plans] }),
    }
    await v1ChannelsSet({ ...call, path, body })
    showToast({ title: t.channelSaved(name) })
    onClose()
  })
}

type VersionProps = {
  readonly script: Script
  readonly isNew: boolean
  readonly error: string | undefined
  readonly value: number
  readonly onChange: (version: number) => void
}

function VersionField({ script, isNew, error, value, onChange }: VersionProps) {
  const loaded = useVersions(script.id).rows.map(({ version }) => version)
  const versions = [...new Set([...loaded, value])].sort((a, b) => b - a)
  return (
    <SelectField
      label={t.version}
      hint={isNew ? undefined : t.versionHint}
      error={error}
      options={versions.map((n) => [String(n), versionTitle(script, n)])}
      value={value}
      onChange={(event) => onChange(Number(event.target.value))}
    />
  )
}

type PlansProps = {
  readonly chosen: readonly string[]
  readonly error: string | undefined
  readonly onChange: (plans: readonly string[]) => void
}

/** Plans that the user may not read stay selected. */
function PlansField({ chosen, error, onChange }: PlansProps) {
  const plans = usePlans().data ?? []
  if (plans.length === 0) return null
  const toggle = (id: string, is: boolean) => (is ? [...chosen, id] : chosen.filter((each) => each !== id))
  return (
    <ChoiceGroup legend={t.plans} hint={t.plansHint} error={error}>
      {plans.map(({ id, name }) => (
        <Check
          key={id}
          label={name}
          checked={chosen.includes(id)}
          onChange={(is) => onChange(toggle(id, is))}
        />
      ))}
    </ChoiceGroup>
  )
}
