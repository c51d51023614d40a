/** Invites a user or edits a team member. Unchanged fields are not sent. */
import { Field } from '../../components/fields/field.tsx'
import { useFormErrors } from '../../components/fields/form-errors.ts'
import type { KeptInput } from '../../components/fields/kept-input.ts'
import { ProjectChoice } from '../../components/fields/project-choice.tsx'
import { isSame, ScopeChoice } from '../../components/fields/scope-choice.tsx'
import { useKept, useKeptState } from '../../components/fields/use-kept.ts'
import { FormDialog } from '../../components/overlays/dialog.tsx'
import { useMe } from '../../lib/rights.ts'
import { text } from '../../messages/text.ts'
import {
  access,
  type Member,
  type Rights,
  type RightsEdit,
  type Role,
  type Scope,
} from '../../queries/access.ts'
import { useCall, useChange } from '../../queries/api.ts'
import { RoleChoice } from './role-choice.tsx'

type Draft = {
  readonly email: string
  readonly role: string
  readonly scopes: readonly string[]
  readonly projects: readonly string[] | null
  readonly maxKeys: string
}
type Props = {
  readonly member?: Member
  readonly onClose: () => void
  readonly onInvited?: (email: string, link: string) => void
}

export function MemberForm(given: Props) {
  const { member, onClose } = given
  const kept = useKept('member', member?.id)
  const [draft, setDraft] = useDraft(member, kept)
  const save = useSave(given, kept)
  const errors = useFormErrors(save.error)
  const submit = () => {
    if (!errors.check(validate(draft))) return
    save.mutate(draft)
  }
  return (
    <FormDialog
      kept={kept}
      title={member ? text.editMember(member.person.name || member.person.email) : text.inviteTitle}
      isWide
      submit={member ? text.save : text.sendInvitation}
      isPending={save.isPending}
      error={errors.rest}
      onClose={onClose}
      onSubmit={submit}
    >
      {!member && (
        <Field
          label={text.email}
          type="email"
          hint={text.inviteHint}
          error={errors.of('email')}
          required
          value={draft.email}
          onChange={(event) => setDraft({ email: event.target.value })}
        />
      )}
      <RoleChoice role={draft.role} onChange={(role) => setDraft({ role })} error={errors.of('role')} />
      <Limits draft={draft} setDraft={setDraft} errorOf={errors.of} />
    </FormDialog>
  )
}

type LimitsProps = {
  readonly draft: Draft
  readonly setDraft: (edit: Partial<Draft>) => void
  readonly errorOf: (field: string) => string | undefined
}

/** Limits that the role supports. */
function Limits({ draft, setDraft, errorOf }: LimitsProps) {
  const { role, scopes, projects, maxKeys } = draft
  return (
    <>
      {role === 'custom' && (
        <ScopeChoice
          chosen={scopes}
          onChange={(chosen) => setDraft({ scopes: chosen })}
          error={errorOf('scopes')}
        />
      )}
      {role !== 'owner' && role !== '' && (
        <ProjectChoice
          isSingle={role === 'reseller'}
          chosen={projects}
          onChange={(chosen) => setDraft({ projects: chosen })}
          error={errorOf('projects')}
        />
      )}
      {role === 'reseller' && (
        <Field
          label={text.maxKeys}
          hint={text.maxKeysHint}
          error={errorOf('max_keys')}
          type="number"
          min={1}
          max={MAX_KEYS}
          inputMode="numeric"
          value={maxKeys}
          onChange={(event) => setDraft({ maxKeys: event.target.value })}
        />
      )}
    </>
  )
}

const MAX_KEYS = 2_147_483_647

function useDraft(member: Member | undefined, kept: KeptInput) {
  const me = useMe()
  const [draft, setDraft] = useKeptState<Draft>(kept, 'draft', {
    email: '',
    role: member?.role ?? '',
    scopes: member?.role === 'custom' ? member.scopes : [],
    projects: member ? member.projects : me.projects && [],
    maxKeys: member?.max_keys?.toString() ?? '',
  })
  return [draft, (edit: Partial<Draft>) => setDraft((before) => ({ ...before, ...edit }))] as const
}

/**
 * Reports the result inside the mutation function: the link is returned only once, and the form may already
 * be closed.
 */
function useSave({ member, onClose, onInvited }: Props, kept: KeptInput) {
  const call = useCall()
  return useChange(async (draft: Draft) => {
    const rights = rightsIn(draft)
    const email = draft.email.trim()
    if (!member) {
      const { link } = await access.invite(call, { email, ...rights })
      return kept.forget(() => onInvited?.(email, link))
    }
    const changes = changesIn(rights, member)
    if (Object.keys(changes).length > 0) await access.editMember(call, member.id, changes)
    kept.forget(onClose)
  })
}

function rightsIn({ role, scopes, projects, maxKeys }: Draft): Rights {
  return {
    role: role as Role,
    scopes: role === 'custom' ? ([...scopes] as Scope[]) : [],
    projects: role === 'owner' || projects === null ? null : [...projects],
    max_keys: role === 'reseller' && maxKeys !== '' ? Number(maxKeys) : null,
  }
}

function changesIn(rights: Rights, member: Member): RightsEdit {
  const { role, scopes, projects, max_keys } = rights
  return {
    ...(role !== member.role && { role }),
    ...(role === 'custom' && !(role === member.role && isSame(scopes, member.scopes)) && { scopes }),
    ...(!isSame(projects, member.projects) && { projects }),
    ...(max_keys !== member.max_keys && { max_keys }),
  }
}

function validate({ role, scopes, projects }: Draft) {
  return {
    role: role === '' ? text.chooseRole : undefined,
    scopes: role === 'custom' && scopes.length === 0 ? text.noRights : undefined,
    projects: projectsError(role, projects),
  }
}

function projectsError(role: string, projects: readonly string[] | null): string | undefined {
  if (role === 'reseller') return projects?.length === 1 ? undefined : text.oneProject
  return role !== 'owner' && projects?.length === 0 ? text.chooseProject : undefined
}
