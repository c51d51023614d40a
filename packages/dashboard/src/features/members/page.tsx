/** Team members and invitations. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { SecretDialog } from '../../components/code/secret.tsx'
import { Empty } from '../../components/empty.tsx'
import { ProjectsInShort } from '../../components/fields/project-choice.tsx'
import { ScopesInShort } from '../../components/fields/scope-choice.tsx'
import { GuardedButton } from '../../components/guarded.tsx'
import { ConfirmDialog } from '../../components/overlays/dialog.tsx'
import { useDialogParam } from '../../components/overlays/use-dialog-param.ts'
import { PageTitle } from '../../components/page-title.tsx'
import { RowActions } from '../../components/row-actions.tsx'
import { Time } from '../../components/time.tsx'
import { QueryBoundary } from '../../layout/error-pages.tsx'
import { useMe } from '../../lib/rights.ts'
import { text } from '../../messages/text.ts'
import { access, type Invitation, type Member } from '../../queries/access.ts'
import { useCall } from '../../queries/api.ts'
import { auth } from '../../queries/auth.ts'
import { MemberForm } from './form.tsx'

type Open =
  | { readonly kind: 'invite' }
  | { readonly kind: 'invited'; readonly email: string; readonly link: string }
  | { readonly kind: 'edit' | 'remove'; readonly member: Member }
  | { readonly kind: 'withdraw'; readonly invitation: Invitation }

export function MembersPage() {
  const call = useCall()
  const list = useQuery({ queryKey: ['members'], queryFn: () => access.members(call) })
  const [open, setOpen] = useState<Open | null>(null)
  useDialogParam({ member: WRITE }, () => setOpen({ kind: 'invite' }))
  const { members = [], invitations = [] } = list.data ?? {}
  const isAlone = members.length <= 1 && invitations.length === 0
  const invite = (
    <GuardedButton needs={WRITE} className="main" onClick={() => setOpen({ kind: 'invite' })}>
      {text.invite}
    </GuardedButton>
  )
  return (
    <>
      <PageTitle title={text.membersTitle} intro={text.membersIntro}>
        {list.data && !isAlone && invite}
      </PageTitle>
      <QueryBoundary query={list}>
        <ul className="rows lines">
          {members.map((member) => (
            <MemberRow key={member.id} member={member} onOpen={setOpen} />
          ))}
        </ul>
        {isAlone && (
          <Empty title={text.aloneTitle} hint={text.aloneHint}>
            {invite}
          </Empty>
        )}
        {invitations.length > 0 && (
          <section className="stack tight">
            <h2>{text.invitations}</h2>
            <ul className="rows lines">
              {invitations.map((invitation) => (
                <InvitationRow key={invitation.id} invitation={invitation} onOpen={setOpen} />
              ))}
            </ul>
          </section>
        )}
      </QueryBoundary>
      {open && <MemberDialog open={open} onOpen={setOpen} />}
    </>
  )
}

const WRITE = 'members:write'

type RowProps<Noun extends string, Of> = { readonly [N in Noun]: Of } & {
  readonly onOpen: (open: Open) => void
}

function MemberRow({ member, onOpen }: RowProps<'member', Member>) {
  const me = useMe()
  const { person, role, has_second_factor } = member
  const isYou = me.person?.id === person.id
  const name = person.name || person.email
  const reason = role === 'owner' && me.role !== 'owner' ? text.ownerOnly : undefined
  return (
    <li>
      <div className="main-text">
        <div className="name">
          <strong>{name}</strong>
          <span className="badge plain">{text.roleNames[role] ?? role}</span>
          {isYou && <span className="badge plain">{text.you}</span>}
          <span className={has_second_factor ? 'badge on' : 'badge warn'}>
            {has_second_factor ? text.hasFactor : text.hasNoFactor}
          </span>
        </div>
        <div className="facts">
          {person.name !== '' && <span>{person.email}</span>}
          <Reach of={member} />
          <LastSignIn at={member.last_sign_in_at} />
        </div>
      </div>
      <RowActions
        of={name}
        actions={[
          {
            label: text.edit,
            name: text.editMember(name),
            needs: WRITE,
            reason,
            onClick: () => onOpen({ kind: 'edit', member }),
          },
          {
            label: text.remove,
            name: `${text.remove} ${name}`,
            needs: WRITE,
            reason: isYou ? text.leaveInstead : reason,
            isDanger: true,
            onClick: () => onOpen({ kind: 'remove', member }),
          },
        ]}
      />
    </li>
  )
}

function InvitationRow({ invitation, onOpen }: RowProps<'invitation', Invitation>) {
  const { email, role, invited_by, created_at, expires_at } = invitation
  return (
    <li>
      <div className="main-text">
        <div className="name">
          <strong>{email}</strong>
          <span className="badge plain">{text.roleNames[role] ?? role}</span>
        </div>
        <div className="facts">
          <Reach of={invitation} />
          <span>
            {invited_by === null ? text.invitedAt('') : `${text.invitedBy(invited_by)}, `}
            <Time at={created_at} />
          </span>
          <span>
            {text.linkUntil('')}
            <Time at={expires_at} />
          </span>
        </div>
      </div>
      <RowActions
        of={email}
        actions={[
          {
            label: text.withdraw,
            name: `${text.withdraw}: ${email}`,
            needs: WRITE,
            isDanger: true,
            onClick: () => onOpen({ kind: 'withdraw', invitation }),
          },
        ]}
      />
    </li>
  )
}

/** Shows a team member's projects, custom permissions and key limit. */
function Reach({ of: { role, scopes, projects, max_keys } }: { of: Member | Invitation }) {
  return (
    <>
      <span>
        <ProjectsInShort ids={projects} />
      </span>
      {role === 'custom' && <ScopesInShort scopes={scopes} />}
      {max_keys !== null && <span>{text.keysUpTo(max_keys)}</span>}
    </>
  )
}

function LastSignIn({ at }: { at: number | null }) {
  if (at === null) return <span>{text.noSignIn}</span>
  return (
    <span>
      {text.lastSignIn('')}
      <Time at={at} />
    </span>
  )
}

function MemberDialog({ open, onOpen }: { open: Open; onOpen: (open: Open | null) => void }) {
  const onClose = () => onOpen(null)
  if ('link' in open) return <Invited email={open.email} link={open.link} onClose={onClose} />
  if (open.kind === 'invite')
    return (
      <MemberForm onClose={onClose} onInvited={(email, link) => onOpen({ kind: 'invited', email, link })} />
    )
  if ('invitation' in open) return <Withdraw invitation={open.invitation} onClose={onClose} />
  if (open.kind === 'edit') return <MemberForm member={open.member} onClose={onClose} />
  return <Remove member={open.member} onClose={onClose} />
}

type InvitedProps = { readonly email: string; readonly link: string; readonly onClose: () => void }

function Invited({ email, link, onClose }: InvitedProps) {
  const call = useCall()
  const options = useQuery({ queryKey: ['options'], queryFn: () => auth.options(call) })
  const hint = options.data?.mail ? text.invitationMailed(email) : text.invitationByHand(email)
  return (
    <SecretDialog
      title={text.invitationMade}
      value={link}
      {...(options.data && { hint })}
      onClose={onClose}
    />
  )
}

function Remove({ member, onClose }: { member: Member; onClose: () => void }) {
  const call = useCall()
  return (
    <ConfirmDialog
      title={text.removeMemberTitle(member.person.name || member.person.email)}
      words={text.removeMemberText}
      submit={text.remove}
      onConfirm={() => access.removeMember(call, member.id)}
      onClose={onClose}
    />
  )
}

function Withdraw({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) {
  const call = useCall()
  return (
    <ConfirmDialog
      title={text.withdrawTitle(invitation.email)}
      words={text.withdrawText}
      submit={text.withdraw}
      onConfirm={() => access.withdraw(call, invitation.id)}
      onClose={onClose}
    />
  )
}
