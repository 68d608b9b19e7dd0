/** What a company's directory says of a person. Times are epoch ms. */
export interface DirectoryPersonRow {
  /** The directory knows the person by it; it stays when the account behind it becomes another one. */
  id: string;
  tenant_id: string;
  user_id: string;
  user_name: string;
  user_name_folded: string;
  external_id: string | null;
  /** 0 or 1: the directory's last word. */
  active: number;
  /** JSON: what the directory has sent, in the form of the schema. */
  attributes: string;
  version: number;
  created_at: number;
  updated_at: number;
}

export interface DirectoryGroupRow {
  id: string;
  tenant_id: string;
  display_name: string;
  name_folded: string;
  external_id: string | null;
  /** JSON array of the roles that its members have; an administrator says so, not the directory. */
  roles: string;
  version: number;
  created_at: number;
  updated_at: number;
}

export interface DirectoryMemberRow {
  tenant_id: string;
  group_id: string;
  person_id: string;
}

export interface DirectoryTables {
  directory_people: DirectoryPersonRow;
  directory_groups: DirectoryGroupRow;
  directory_members: DirectoryMemberRow;
}
