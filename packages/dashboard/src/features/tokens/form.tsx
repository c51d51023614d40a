/** Creates or edits a token. Sends only changed fields. */
import { AreaField } from '../../components/fields/area-field.tsx'
import { Field } from '../../components/fields/field.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import type { KeptInput } from '../../components/fields/kept-input.ts'
import { ProjectChoice } from '../../components/fields/project-choice.tsx'
import { isSame, ScopeChoice } from '../../components/fields/scope-choice.tsx'
import { useKept, useKeptState } from '../../components/fields/use-kept.ts'
import { FormDialog } from '../../components/overlays/dialog.tsx'
import { useMe } from '../../lib/rights.ts'
import { exactly } from '../../lib/when.ts'
import { text } from '../../messages/text.ts'
import { access, type Scope, type Token, type TokenEdit } from '../../queries/access.ts'
import { useCall, useChange } from '../../queries/api.ts'

type Expiry = { readonly choice: string; readonly date: string }
type Draft = {
  readonly name: string
  readonly scopes: readonly string[]
  readonly projects: readonly string[] | null
  readonly networks: string
  readonly expiry: Expiry
}
type Made = { readonly token: Token; readonly secret: string }
type Props = {
  readonly token?: Token
  readonly onClose: () => void
  readonly onMade?: (made: Made) => void
}

export function TokenForm(given: Props) {
  const { token, onClose } = given
  const kept = useKept('token', token?.id)
  const [draft, setDraft] = useDraft(token, kept)
  const save = useSave(given, kept)
  const errors = useFormErrors(save.error)
  const submit = () => {
    if (!errors.check(validate(draft))) return
    save.mutate(draft)
  }
  return (
    <FormDialog
      kept={kept}
      title={token ? text.editToken(token.name) : text.newToken}
      isWide
      submit={token ? text.save : text.createToken}
      isPending={save.isPending}
      error={errors.rest}
      onClose={onClose}
      onSubmit={submit}
    >
      <Field
        label={text.tokenName}
        hint={text.tokenNameHint}
        error={errors.of('name')}
        required
        value={draft.name}
        onChange={(event) => setDraft({ name: event.target.value })}
      />
      <ScopeChoice
        chosen={draft.scopes}
        onChange={(scopes) => setDraft({ scopes })}
        error={errors.of('scopes')}
      />
      <ProjectChoice
        chosen={draft.projects}
        onChange={(projects) => setDraft({ projects })}
        error={errors.of('projects')}
      />
      <AreaField
        label={text.networks}
        hint={text.networksHint}
        error={errors.of('networks')}
        value={draft.networks}
        onChange={(networks) => setDraft({ networks })}
      />
      <ExpiryChoice
        expiry={draft.expiry}
        now={token?.expires_at}
        error={errors.of('expires_at')}
        onChange={(expiry) => setDraft({ expiry })}
      />
    </FormDialog>
  )
}

function useDraft(token: Token | undefined, kept: KeptInput) {
  const me = useMe()
  const [draft, setDraft] = useKeptState<Draft>(kept, 'draft', {
    name: token?.name ?? '',
    scopes: token?.scopes ?? [],
    projects: token ? token.projects : me.projects && [],
    networks: token?.networks?.join('\n') ?? '',
    expiry: { choice: token ? KEEP : DAYS, date: '' },
  })
  return [draft, (edit: Partial<Draft>) => setDraft((before) => ({ ...before, ...edit }))] as const
}

const KEEP = 'keep'
const DATE = 'date'
const DAYS = '90'
const DAY_MS = 86_400_000

/**
 * Reports the result inside the mutation function: the secret is returned only once, and the form may already
 * be closed.
 */
function useSave({ token, onClose, onMade }: Props, kept: KeptInput) {
  const call = useCall()
  return useChange(async (draft: Draft) => {
    const expires_at = timeOf(draft.expiry) ?? null
    if (!token) {
      const made = await access.newToken(call, { ...rightsIn(draft), expires_at })
      return kept.forget(() => onMade?.(made))
    }
    const changes = changesIn(draft, token)
    if (Object.keys(changes).length > 0) await access.editToken(call, token.id, changes)
    kept.forget(onClose)
  })
}

function rightsIn({ name, scopes, projects, networks }: Draft) {
  const lines = networks.split(/[\s,]+/).filter((line) => line !== '')
  return {
    name: name.trim(),
    scopes: [...scopes] as Scope[],
    projects: projects && [...projects],
    networks: lines.length > 0 ? lines : null,
  }
}

function changesIn(draft: Draft, token: Token): TokenEdit {
  const { name, scopes, projects, networks } = rightsIn(draft)
  const expires_at = timeOf(draft.expiry)
  return {
    ...(name !== token.name && { name }),
    ...(!isSame(scopes, token.scopes) && { scopes }),
    ...(!isSame(projects, token.projects) && { projects }),
    ...(!isSame(networks, token.networks) && { networks }),
    ...(expires_at !== undefined && expires_at !== token.expires_at && { expires_at }),
  }
}

/** Returns undefined if the expiry is unchanged. A date includes the entire day. */
function timeOf({ choice, date }: Expiry): number | null | undefined {
  if (choice === KEEP) return undefined
  if (choice === DATE) return new Date(`${date}T23:59:59`).getTime()
  return choice === '0' ? null : Date.now() + Number(choice) * DAY_MS
}

function validate({ scopes, projects, expiry }: Draft) {
  const isPast = expiry.choice === DATE && !(Number(timeOf(expiry)) > Date.now())
  return {
    scopes: scopes.length === 0 ? text.noRights : undefined,
    projects: projects?.length === 0 ? text.chooseProject : undefined,
    expires_at: isPast ? text.chooseDate : undefined,
  }
}

type ExpiryProps = {
  readonly expiry: Expiry
  /** Expiry of the token to edit. */
  readonly now: number | null | undefined
  readonly error: string | undefined
  readonly onChange: (expiry: Expiry) => void
}

function ExpiryChoice({ expiry, now, error, onChange }: ExpiryProps) {
  const { choice, date } = expiry
  const isDate = choice === DATE
  return (
    <div className="row top">
      <label className="field">
        <span>{text.expiry}</span>
        <select value={choice} onChange={(event) => onChange({ choice: event.target.value, date })}>
          {now !== undefined && (
            <option value={KEEP}>{text.asItIs(now === null ? text.never : exactly(now))}</option>
          )}
          {text.expiries.map(([days, words]) => (
            <option key={days} value={days}>
              {words}
            </option>
          ))}
          <option value={DATE}>{text.onDate}</option>
        </select>
        {!isDate && error !== undefined && (
          <span className="field-error" role="alert">
            {error}
          </span>
        )}
      </label>
      {isDate && (
        <Field
          label={text.expiryDate}
          type="date"
          required
          error={error}
          value={date}
          onChange={(event) => onChange({ choice, date: event.target.value })}
        />
      )}
    </div>
  )
}
