"""Tables of error codes: of aclnn functions, of the ACL runtime, and codes that begin with letters."""
