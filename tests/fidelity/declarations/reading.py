"""Reads headers into a table: each name that people can use, and the forms that it is declared in.

A form is a text in the normal form of ``normal_form``; a function has one for each overload, a member stands as
``Class::member``, an enumerator as ``Enum::NAME``, a macro as ``#NAME``. Members of public bases are the class's own.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from clang.cindex import AccessSpecifier, Cursor, CursorKind, TranslationUnit, TypeKind
from clang_ast import evaluated, is_function_like, printed
from normal_form import both_forms, parameter, type_text, value

Table = dict[str, set[str]]

_NAMESPACES = {CursorKind.NAMESPACE, CursorKind.LINKAGE_SPEC, CursorKind.UNEXPOSED_DECL}
_CLASSES = {CursorKind.CLASS_DECL, CursorKind.STRUCT_DECL, CursorKind.UNION_DECL, CursorKind.CLASS_TEMPLATE}
_FUNCTIONS = {
    CursorKind.FUNCTION_DECL,
    CursorKind.FUNCTION_TEMPLATE,
    CursorKind.CXX_METHOD,
    CursorKind.CONSTRUCTOR,
    CursorKind.CONVERSION_FUNCTION,
}
_TEMPLATE_PARAMETERS = {
    CursorKind.TEMPLATE_TYPE_PARAMETER,
    CursorKind.TEMPLATE_NON_TYPE_PARAMETER,
    CursorKind.TEMPLATE_TEMPLATE_PARAMETER,
}
_ALIASES = {CursorKind.TYPEDEF_DECL, CursorKind.TYPE_ALIAS_DECL, CursorKind.TYPE_ALIAS_TEMPLATE_DECL}
_SITE = re.compile(r"\bsim::Site\b")
_INTERNAL_MACRO = re.compile(r"_H_*$|^(?:ASCENDC_|OPFORGE_)?SIM_|^ASCENDC_SIM|^OPFORGE_|^__UNDEF_|^UNDEF_")
_CONSTRAINT = re.compile(r"\benable_if|\bSFINAE|\bis_same|\bIsSameType|\bSupportType|\bis_layout|\bsizeof\.\.\.")

# A type parameter that a constraint makes a reference: no argument of a call gives it one, only a function type does.
_REFERENCE = re.compile(r"\bis_same_v<(\w+), (const \w+ ?&)>")


@dataclass
class Reader:
    """What is read of one unit. ``wanted`` says of a file whether its declarations count."""

    wanted: Callable[[str], bool]
    table: Table = field(default_factory=lambda: defaultdict(set))
    constants: dict[str, str] = field(default_factory=dict)
    bases: dict[str, list[str]] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)

    def read(self, unit: TranslationUnit) -> None:
        self._scope(unit.cursor, "")
        self._inherit()
        self._name_constants()

    def _name_constants(self) -> None:
        """Puts numbers for the constants' names in default arguments and initial values."""
        numbers = {name: number for name, number in self.constants.items() if number and len(name) > 3}
        pattern = re.compile(r"(?<![\w.])(?:" + "|".join(map(re.escape, numbers)) + r")(?!\w)")
        for name, forms in self.table.items():
            if numbers and not name.startswith("#"):
                self.table[name] = {
                    re.sub(
                        r"(?<= = )[^=]*?(?=, |[)>]|$)",
                        lambda default: value(pattern.sub(lambda found: numbers[found[0]], default[0])),
                        form,
                    )
                    for form in forms
                }

    def _scope(self, scope: Cursor, prefix: str) -> None:
        order = 0
        for cursor in scope.get_children():
            if cursor.kind is CursorKind.MACRO_DEFINITION:
                self._macro(cursor)
                continue
            if cursor.kind in _NAMESPACES:
                if cursor.kind is CursorKind.NAMESPACE and cursor.spelling == "sim":
                    continue
                inner = cursor.spelling if cursor.kind is CursorKind.NAMESPACE else ""
                self._scope(cursor, f"{prefix}{inner}::" if inner else prefix)
                continue
            where = cursor.location.file
            if where is None or not self.wanted(where.name):
                continue
            if scope.kind is not CursorKind.TRANSLATION_UNIT and _is_of_another(cursor, scope):
                continue  # the definition of a member, outside of its class
            if cursor.access_specifier in {AccessSpecifier.PRIVATE, AccessSpecifier.PROTECTED}:
                continue
            order += self._declaration(cursor, prefix, order)

    def _put(self, name: str, form: str, cursor: Cursor) -> None:
        self.table[name].update(both_forms(form))
        self.files.setdefault(name, cursor.location.file.name)

    def _declaration(self, cursor: Cursor, prefix: str, order: int) -> int:
        """Reads one declaration. 1 if it is a field, whose place among the fields counts."""
        kind, name = cursor.kind, prefix + cursor.spelling
        if kind in _FUNCTIONS:
            if _is_deleted(cursor) or _is_copy(cursor):
                return 0
            self._put(self._function_name(cursor, prefix), self._function(cursor), cursor)
        elif kind in _CLASSES:
            return self._class(cursor, prefix, order)
        elif kind is CursorKind.ENUM_DECL:
            self._enum(cursor, prefix)
        elif kind is CursorKind.FIELD_DECL:
            self._put(
                name, f"field {order}: {type_text(cursor.type.get_canonical().spelling)}{_initial(cursor)}", cursor
            )
            return 1
        elif kind is CursorKind.VAR_DECL:
            number = evaluated(cursor)
            initial = f" = {number}" if number is not None else _initial(cursor)
            if number is not None:
                self.constants[cursor.spelling] = str(number)
            how = "constant" if "constexpr" in printed(cursor) or cursor.type.is_const_qualified() else "variable"
            text = re.sub(r"^const ", "", type_text(cursor.type.get_canonical().spelling))
            self._put(name, f"{how} {text}{initial}", cursor)
        elif kind in _ALIASES and self._aliased(cursor).rpartition("::")[2] != cursor.spelling:
            self._put(name, f"{self._template(cursor)}alias {self._aliased(cursor)}", cursor)
        elif kind is CursorKind.USING_DECLARATION:
            target = next((each.spelling for each in cursor.get_children() if each.kind.is_reference()), "")
            self._put(name, f"using {target}", cursor)
        return 0

    @staticmethod
    def _aliased(cursor: Cursor) -> str:
        inner = cursor
        if cursor.kind is CursorKind.TYPE_ALIAS_TEMPLATE_DECL:
            inner = next(each for each in cursor.get_children() if each.kind is CursorKind.TYPE_ALIAS_DECL)
        return type_text(inner.underlying_typedef_type.get_canonical().spelling)

    @staticmethod
    def _function_name(cursor: Cursor, prefix: str) -> str:
        if cursor.kind is CursorKind.CONVERSION_FUNCTION:
            return f"{prefix}operator {type_text(cursor.result_type.get_canonical().spelling)}"
        parent = cursor.semantic_parent
        spelling = cursor.spelling.partition("<")[0] if not cursor.spelling.startswith("operator") else cursor.spelling
        if parent is not None and parent.kind in _CLASSES and spelling == parent.spelling:
            return f"{prefix}{spelling}"
        return prefix + spelling

    def _function(self, cursor: Cursor) -> str:
        text = printed(cursor)
        types = [each.get_canonical().spelling for each in cursor.type.argument_types()]
        declared = [each for each in cursor.get_children() if each.kind is CursorKind.PARM_DECL]
        references = dict(_REFERENCE.findall(text))
        if references:
            types = [references.get(each.type.spelling, t) for each, t in zip(declared, types, strict=True)]
        defaults = [_default(each) for each in declared]
        defaults += [""] * (len(types) - len(defaults))
        parameters = [parameter(t) + d for t, d in zip(types, defaults, strict=False) if not _SITE.search(t)]
        if "typename... None" in text or "typename ...None" in text:
            parameters = [each for each in parameters if not each.endswith("...")]
        if cursor.type.is_function_variadic():
            parameters.append("...")
        result = type_text(cursor.result_type.get_canonical().spelling)
        before = "static " if cursor.is_static_method() else ""
        before += "virtual " if cursor.is_virtual_method() else ""
        before += "explicit " if re.search(r"\bexplicit\b", text.partition("(")[0]) else ""
        before += "constexpr " if re.search(r"\bconstexpr\b", text.partition("(")[0]) else ""
        after = " const" if cursor.is_const_method() else ""
        after += {2: " &", 3: " &&"}.get(cursor.type.get_ref_qualifier().value + 1, "") if after else ""
        return f"{self._template(cursor)}{before}{result}({', '.join(parameters)}){after}"

    def _template(self, cursor: Cursor) -> str:
        """The template parameters by kind and default, without those that only constrain the others."""
        found = []
        references = dict(_REFERENCE.findall(printed(cursor)))
        for each in cursor.get_children():
            if each.kind not in _TEMPLATE_PARAMETERS or each.spelling in references:
                continue
            text = printed(each)
            pack = "..." if "..." in text else ""
            default = text.partition(" = ")[2]
            if each.spelling == "None" or (
                _CONSTRAINT.search(text) and (default or each.kind is CursorKind.TEMPLATE_NON_TYPE_PARAMETER)
            ):
                continue
            if each.kind is CursorKind.TEMPLATE_TYPE_PARAMETER:
                kind = "typename"
            elif each.kind is CursorKind.TEMPLATE_TEMPLATE_PARAMETER:
                kind = "template"
            else:
                kind = type_text(each.type.get_canonical().spelling)
            found.append(kind + pack + (f" = {value(default)}" if default else ""))
        return f"template<{', '.join(found)}> " if found else ""

    def _class(self, cursor: Cursor, prefix: str, order: int) -> int:
        if not cursor.is_definition():
            return 0
        unnamed = cursor.is_anonymous() or not cursor.spelling or "(" in cursor.spelling
        if unnamed:
            inner = 0
            for each in cursor.get_children():
                if each.kind is CursorKind.FIELD_DECL:
                    form = f"field {order}.{inner}: {type_text(each.type.get_canonical().spelling)}{_initial(each)}"
                    self._put(prefix + each.spelling, form, each)
                    inner += cursor.kind is not CursorKind.UNION_DECL
            return 1
        name = prefix + cursor.spelling
        self.bases[name] = [
            re.sub(r"^(?:class|struct) ", "", each.spelling).partition("<")[0]
            for each in cursor.get_children()
            if each.kind is CursorKind.CXX_BASE_SPECIFIER and each.access_specifier is AccessSpecifier.PUBLIC
        ]
        union = cursor.kind is CursorKind.UNION_DECL
        aggregate = " aggregate" if _is_aggregate(cursor) else ""
        self._put(name, f"{self._template(cursor)}{'union' if union else 'class'}{aggregate}", cursor)
        self._scope(cursor, f"{name}::")
        return 0

    def _enum(self, cursor: Cursor, prefix: str) -> None:
        scoped = cursor.is_scoped_enum()
        name = prefix + cursor.spelling
        if cursor.spelling and not cursor.is_anonymous():
            underlying = type_text(cursor.enum_type.get_canonical().spelling)
            self._put(name, f"enum{' class' if scoped else ''}: {underlying}", cursor)
        for each in cursor.get_children():
            if each.kind is CursorKind.ENUM_CONSTANT_DECL:
                self.constants.setdefault(each.spelling, "")
                self._put((f"{name}::" if scoped else prefix) + each.spelling, f"enumerator = {each.enum_value}", each)

    def _macro(self, cursor: Cursor) -> None:
        where = cursor.location.file
        if where is None or not self.wanted(where.name) or _INTERNAL_MACRO.search(cursor.spelling):
            return
        tokens = [each.spelling for each in cursor.get_tokens()]
        if is_function_like(cursor):
            closing = tokens.index(")")
            names = [each for each in tokens[2:closing] if each != ","]
            self._put("#" + cursor.spelling, f"macro({', '.join('...' if '...' in n else '_' for n in names)})", cursor)
        else:
            self._put("#" + cursor.spelling, f"macro = {' '.join(tokens[1:])}", cursor)

    def _inherit(self) -> None:
        """Gives each class the public members of its public bases that it does not hide."""
        for name in list(self.bases):
            own = {each.removeprefix(f"{name}::") for each in self.table if each.startswith(f"{name}::")}
            for base, members in self._members_of_bases(name):
                for member in members - own:
                    if member not in {base.rpartition("::")[2], name.rpartition("::")[2]}:
                        self.table[f"{name}::{member}"] |= self.table[f"{base}::{member}"]
                        self.files.setdefault(f"{name}::{member}", self.files[f"{base}::{member}"])

    def _members_of_bases(self, name: str) -> Iterator[tuple[str, set[str]]]:
        for said in self.bases.get(name, ()):
            scope = name
            while scope:
                scope = scope.rpartition("::")[0]
                base = f"{scope}::{said}" if scope else said
                if base in self.bases:
                    start = f"{base}::"
                    yield base, {each.removeprefix(start) for each in self.table if each.startswith(start)}
                    yield from self._members_of_bases(base)
                    break


def _is_of_another(cursor: Cursor, scope: Cursor) -> bool:
    parent = cursor.semantic_parent
    return parent is not None and parent.kind in _CLASSES and parent.get_usr() != scope.get_usr()


def _is_copy(cursor: Cursor) -> bool:
    """Whether it copies or moves its class, as a class without such a declaration does too."""
    parent, types = cursor.semantic_parent, list(cursor.type.argument_types())
    if parent is None or parent.kind not in _CLASSES or len(types) != 1:
        return False
    if cursor.kind is not CursorKind.CONSTRUCTOR and cursor.spelling != "operator=":
        return False
    target = (
        types[0].get_pointee() if types[0].kind in {TypeKind.LVALUEREFERENCE, TypeKind.RVALUEREFERENCE} else types[0]
    )
    return re.sub(r"^const |<.*", "", target.spelling).rpartition("::")[2] == parent.spelling


def _is_deleted(cursor: Cursor) -> bool:
    return printed(cursor).rstrip().endswith("= delete")


def _default(parameter: Cursor) -> str:
    """ " = value" where the parameter has a default argument."""
    default = printed(parameter).partition(" = ")[2]
    return f" = {value(default)}" if default else ""


def _initial(cursor: Cursor) -> str:
    text = printed(cursor)
    default = text.partition(" = ")[2]
    if not default and (found := re.search(r"\{.*\}$", text)):
        default = found[0]
    return f" = {value(default)}" if default else ""


def _is_aggregate(cursor: Cursor) -> bool:
    for each in cursor.get_children():
        if each.kind is CursorKind.CONSTRUCTOR and not each.is_default_method():
            return False
        if each.kind is CursorKind.FUNCTION_TEMPLATE and each.spelling.partition("<")[0] == cursor.spelling:
            return False
        if each.kind is CursorKind.FIELD_DECL and each.access_specifier is not AccessSpecifier.PUBLIC:
            return False
        if each.kind is CursorKind.CXX_METHOD and each.is_virtual_method():
            return False
    return cursor.type.kind is not TypeKind.INVALID
