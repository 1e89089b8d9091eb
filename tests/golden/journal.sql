BEGIN TRANSACTION;
CREATE TABLE remit_answers (
	run TEXT NOT NULL, 
	epoch INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	start INTEGER NOT NULL, 
	call TEXT NOT NULL, 
	body TEXT NOT NULL, 
	follows INTEGER NOT NULL, 
	PRIMARY KEY (run, epoch, number, start)
);
CREATE TABLE remit_artifact_contents (
	digest TEXT NOT NULL, 
	content BLOB NOT NULL, 
	PRIMARY KEY (digest)
);
CREATE TABLE remit_artifacts (
	digest TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	principal TEXT NOT NULL, 
	application TEXT NOT NULL, 
	conversation TEXT NOT NULL, 
	run TEXT NOT NULL, 
	PRIMARY KEY (digest, tenant, principal, application, conversation, run)
);
CREATE TABLE remit_attached (
	call TEXT NOT NULL, 
	run TEXT NOT NULL, 
	PRIMARY KEY (call)
);
CREATE TABLE remit_changes (
	number BIGINT NOT NULL, 
	PRIMARY KEY (number)
);
INSERT INTO "remit_changes" VALUES(11);
CREATE TABLE remit_conversations (
	id TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	application TEXT NOT NULL, 
	conversation TEXT NOT NULL, 
	owner TEXT NOT NULL, 
	target TEXT NOT NULL, 
	given_title TEXT NOT NULL, 
	first_message TEXT NOT NULL, 
	shared TEXT NOT NULL, 
	deletion TEXT NOT NULL, 
	opened FLOAT NOT NULL, 
	active FLOAT NOT NULL, 
	first TEXT NOT NULL, 
	latest TEXT NOT NULL, 
	signature BLOB, 
	changed BIGINT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "remit_conversations" VALUES('a66d30bdcb0aea1e0bc9663153c4cf2e','default','golden','words','ada','','','Keep bread.','{}','',1800000000.0,1800000054.0,'first','third',X'DCE56C39748BC0FC288C37FF1EB1476A93432D3D70BAADB91BAEDCA2C6FC9B71',9);
CREATE TABLE remit_grants (
	grant TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	tool TEXT NOT NULL, 
	given FLOAT NOT NULL, 
	expires FLOAT NOT NULL, 
	count INTEGER NOT NULL, 
	used INTEGER NOT NULL, 
	revoked TEXT NOT NULL, 
	body TEXT NOT NULL, 
	signature BLOB, 
	PRIMARY KEY (grant)
);
CREATE TABLE remit_items (
	run TEXT NOT NULL, 
	seq INTEGER NOT NULL, 
	epoch INTEGER NOT NULL, 
	at FLOAT NOT NULL, 
	kind TEXT NOT NULL, 
	call TEXT NOT NULL, 
	body TEXT NOT NULL, 
	digest BLOB NOT NULL, 
	chain BLOB NOT NULL, 
	PRIMARY KEY (run, seq)
);
INSERT INTO "remit_items" VALUES('first',0,1,1800000000.0,'opened','first','{"format":1,"tenant":"default","principal":"ada","application":"golden","agent":"","callee":"keeper","arguments":"{\"prompt\":\"Keep bread.\"}","conversation":"words","after":"","terms":"[[[\"\"],{\"layers\":[\"Authorize\",\"Validate\",\"Budget\",\"Approve\"],\"limits\":{\"Approve.max_questions\":20.0,\"Budget.calls\":256.0,\"Budget.depth\":8.0,\"Limits.agent_depth\":5.0,\"Limits.answer_calls\":128.0,\"Limits.argument_bytes\":1048576.0,\"Limits.argument_depth\":64.0,\"Limits.artifact_bytes\":67108864.0,\"Limits.callback_seconds\":30.0,\"Limits.error_bytes\":16384.0,\"Limits.handoffs\":10.0,\"Limits.image_bytes\":3932160.0,\"Limits.note_bytes\":65536.0,\"Limits.output_bytes\":262144.0,\"Limits.reason_bytes\":4096.0,\"Limits.reply_bytes\":2097152.0,\"Limits.reply_seconds\":1800.0},\"policies\":[[[\"high risk\",2],[\"egress\",2],[\"undeclared\",2]]]}],[[\"keeper\"],{\"limits\":{\"output_bytes\":262144.0,\"repeats\":3.0,\"turns\":16.0}}]]"}',X'74D221DD0E6863306148ADBC73A31221CEB4F91A01C6665976EC7BA61555C33F',X'6920E26D3BBD879A99A66BE874422AE772DADE2216FBF5413C612FAA93F00C1D');
INSERT INTO "remit_items" VALUES('first',1,1,1800000003.0,'message','a53770a3ec330c60929d5aa090b6075f','{"agent":"a53770a3ec330c60929d5aa090b6075f","text":"{\"role\":\"system\",\"content\":\"Keep words.\"}","by":"instructions"}',X'1190A8E9614516E0244D1FA780885F1E4FA85A53E92E292F4908D7FB77E22456',X'C28E197BCFDE2D1FD8EB6F3D98D69611A32A80DCD51A21B503987A6CDA027F4C');
INSERT INTO "remit_items" VALUES('first',2,1,1800000004.0,'message','a53770a3ec330c60929d5aa090b6075f','{"agent":"a53770a3ec330c60929d5aa090b6075f","text":"{\"role\":\"user\",\"content\":\"Keep bread.\"}","by":"person"}',X'F9B5CE7A84378E94D71E0C40B32A4F2042FFEE44D472794F59242F78CFFED66D',X'6D14173DE0499CE451F53CEC0ED15C7335B5AF228257325E7BF357A0C0DFAD56');
INSERT INTO "remit_items" VALUES('first',3,1,1800000005.0,'message','a53770a3ec330c60929d5aa090b6075f:1','{"agent":"a53770a3ec330c60929d5aa090b6075f","text":"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call_0_look\",\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":\"{\\\"word\\\": \\\"bread\\\"}\"}},{\"id\":\"call_1_save\",\"type\":\"function\",\"function\":{\"name\":\"save\",\"arguments\":\"{\\\"word\\\": \\\"bread\\\"}\"}},{\"id\":\"call_2_move\",\"type\":\"function\",\"function\":{\"name\":\"move\",\"arguments\":\"{\\\"word\\\": \\\"bread\\\"}\"}},{\"id\":\"call_3_nothing\",\"type\":\"function\",\"function\":{\"name\":\"nothing\",\"arguments\":\"{}\"}}]}","request":"d16a04a9422f6b93893464472fc030beeeaaaaf5b28a42d6ea5009beee7d2f49"}',X'BB3129B817EA85DA4FED8403143BF9DE57E11F58251B25C4AE9C0A1921B10EC4',X'9FFC17DF86436A520054D00A7CCD993785E840F2D56CE134F4716E55B7B37E89');
INSERT INTO "remit_items" VALUES('first',4,1,1800000006.0,'usage','a53770a3ec330c60929d5aa090b6075f:1','{"model":"scripted (no model)","finish":"tool_calls","prompt_tokens":0,"completion_tokens":0,"response":"","requested":"scripted:scripted (no model)"}',X'689AE13A2BEBEA00D57192F40157C6D12994CD275FA905A9F27B03EE73174D68',X'49D99AB0D29831D0B46073CD0E33F82DEEC32AF34B2B242D100743E3F357FDCC');
INSERT INTO "remit_items" VALUES('first',5,1,1800000007.0,'started','a8df159cdd72050b2c571c22a367481c','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"look","attempt":1,"wire":"call_0_look"}',X'5FCC34336B1375EFCEBCC676410D31EE9BD3933EFB4FABBA4BDA71D4284D4D0F',X'328F58E2D6BFEDE1EB06EC31701B5367C60529BC7EFE0F60FC50B0DFAB2B3D65');
INSERT INTO "remit_items" VALUES('first',6,1,1800000008.0,'tool_output','a8df159cdd72050b2c571c22a367481c','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"look","wire":"call_0_look","text":"{\"role\":\"tool\",\"tool_call_id\":\"call_0_look\",\"content\":\"bread: a w\u00f6rd \u2014 \u8a9e\"}","outcome":"ok","final":false}',X'29C35A7D08F3D33666D11E294EE7179BE7A2BAA0D5A9B0D8BFDFC9F9F77F3A12',X'332C3C3AEB87144E4EF4B04B83D871985A8C11EF629FC3A6B969B3BB329DA5AD');
INSERT INTO "remit_items" VALUES('first',7,1,1800000009.0,'started','7c9a3a07133db4c2d9f0776df12d7865','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"save","attempt":1,"wire":"call_1_save"}',X'28B18E943A6FF7F690FB650BD93C986118A8DB6DC4DC98D18B311859546D601F',X'4EF156A2CB6C66B61A742926452B278F71FA2DC34D2A184EB6B75201DDDB3BAB');
INSERT INTO "remit_items" VALUES('first',8,1,1800000010.0,'started','4ff5f988d19464a127785963f82f3584','{"parent":"8d5a02b11ce27a63340b489cab01f875","callee":"save","attempt":1}',X'8FDB267A2A0F3453FD8FA034356F2F067743B6D3CA08CCCADDEDF56F7CF28108',X'DCBD042CE719B5ABF46E8C34F18320735F52D462301D60794F4008D06698D4F1');
INSERT INTO "remit_items" VALUES('first',9,1,1800000011.0,'started','8675206449726ca32edb8b7b1532ca01','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"nothing","attempt":1,"wire":"call_3_nothing"}',X'04C1CEB26AD47AD1E3E0DB7311DC9A39FA8C1BBCE112AB6D2C08339FE81348F1',X'7EB26B793166D041848772B9359954F4B5ECD8374C1E2853AD70C2C9F44C7B55');
INSERT INTO "remit_items" VALUES('first',10,1,1800000012.0,'ended','8675206449726ca32edb8b7b1532ca01','{"attempt":1,"outcome":"error","content":"{\"success\":false,\"error\":\"there is no tool ''nothing''\",\"errorCode\":\"UNKNOWN_TOOL\"}"}',X'B954782CC5428899E21AF73AF1B835001C951D217B0F683B4BABA60884C87C14',X'188568F3CF0B3BA02FEC61EA44E53C05BA91924B5C8D81E0F551FB4273D9743D');
INSERT INTO "remit_items" VALUES('first',11,1,1800000013.0,'tool_output','8675206449726ca32edb8b7b1532ca01','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"nothing","wire":"call_3_nothing","text":"{\"role\":\"tool\",\"tool_call_id\":\"call_3_nothing\",\"content\":\"{\\\"success\\\":false,\\\"error\\\":\\\"there is no tool ''nothing''\\\",\\\"errorCode\\\":\\\"UNKNOWN_TOOL\\\"}\"}","outcome":"error","final":false}',X'8B18F703054A2E3BC41A9CCECE45C41D473B6600E7F04F97193904665833EAEE',X'A7B09658E5E214F145FF3BC3CB9ACF21834B444E7F2B6AC49B23551768083F9A');
INSERT INTO "remit_items" VALUES('first',12,1,1800000014.0,'note','7c9a3a07133db4c2d9f0776df12d7865','{"name":"log","data":"{\"message\":\"saved\",\"word\":\"bread\"}"}',X'0FA91F28E8314F6096BF417E87E7E459F45655055C906C79CEF4DD30628BC309',X'4422D805E1F4347EF43999B3B7A3D40C1A0AE7C5000F763AF868B29D28898185');
INSERT INTO "remit_items" VALUES('first',13,1,1800000015.0,'ended','7c9a3a07133db4c2d9f0776df12d7865','{"attempt":1,"outcome":"ok","content":"{\"bread\":1}"}',X'D3021F2163A0A6590B3BC0358B20D9F860A368E07127E3351BD372C09E4CB124',X'BE74FD086DB49E3476E5B947C05EA6394DCD74E94A644D8E9E818C223342E268');
INSERT INTO "remit_items" VALUES('first',14,1,1800000016.0,'note','4ff5f988d19464a127785963f82f3584','{"name":"log","data":"{\"message\":\"saved\",\"word\":\"bread\"}"}',X'0FA91F28E8314F6096BF417E87E7E459F45655055C906C79CEF4DD30628BC309',X'19778594BB3A74AA349B6E6183827AF8B6CA386FE1ED19DF37A54E29D6562F7C');
INSERT INTO "remit_items" VALUES('first',15,1,1800000017.0,'ended','4ff5f988d19464a127785963f82f3584','{"attempt":1,"outcome":"ok","content":"{\"bread\":2}"}',X'6C0B10C899CEF5AA5B47E99AD0C34C0543AAC38F57B5A154BABCCB5B79B22D2B',X'B56948CDA5B29B47D5280357322523C40E20F117F59308E21811F4BE08CA1EB2');
INSERT INTO "remit_items" VALUES('first',16,1,1800000018.0,'tool_output','7c9a3a07133db4c2d9f0776df12d7865','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"save","wire":"call_1_save","text":"{\"role\":\"tool\",\"tool_call_id\":\"call_1_save\",\"content\":\"{\\\"bread\\\":1}\"}","outcome":"ok","final":false}',X'EEEDD4F996D4256BA39348308678327E6ED7319C9B9E477D776503D735143C12',X'8918555E29D7ABDA016BEA2277835130E5BAFEF95E553A33FBE4F99351CC1773');
INSERT INTO "remit_items" VALUES('first',17,1,1800000019.0,'tool_output','4ff5f988d19464a127785963f82f3584','{"parent":"8d5a02b11ce27a63340b489cab01f875","callee":"save","wire":"","text":"{\"bread\":2}","outcome":"ok","final":false}',X'63111B91A67E5DC98CF7ACE0E7FB53BF573BC4FB2588F292FFB3655B54E9CE8A',X'46D01E4A836EC95C31BC94B77F5271A209881E92C3CFB7F79DAD7C8C00338C30');
INSERT INTO "remit_items" VALUES('first',18,1,1800000020.0,'started','a0f056a6830c72db42d7e3dd1b84da49','{"parent":"8d5a02b11ce27a63340b489cab01f875","callee":"look","attempt":1}',X'32B4ECF83595408B0185097B09F989A814C8CD3280BFE5F6D0FFCE2B238FF3F7',X'2296640DB8D1AE4B943AAE1ADF6BC7C3233F38EC670225701CC79E230E3255DE');
INSERT INTO "remit_items" VALUES('first',19,1,1800000021.0,'tool_output','a0f056a6830c72db42d7e3dd1b84da49','{"parent":"8d5a02b11ce27a63340b489cab01f875","callee":"look","wire":"","text":"bread: a w\u00f6rd \u2014 \u8a9e","outcome":"ok","final":false}',X'D9CE83592850391C12C9D47C73AED54C18ACE092A66BF9B9645344911337D2EE',X'98E7D1E63B64ABF74032FD6169858B0D1929857C685A0EDD7BB9BC43CF0F9F02');
INSERT INTO "remit_items" VALUES('first',20,1,1800000022.0,'tool_output','8d5a02b11ce27a63340b489cab01f875','{"parent":"a53770a3ec330c60929d5aa090b6075f","callee":"move","wire":"call_2_move","text":"{\"role\":\"tool\",\"tool_call_id\":\"call_2_move\",\"content\":\"moved bread: a w\u00f6rd \u2014 \u8a9e\"}","outcome":"ok","final":false}',X'DF84B931EF41A88F60B160B05D68279843A52F405BA076A055ED7917675A01B2',X'B1E0C2D05360396731ED7A9BEF5316001505951DF238347F3EEC6D4DA791672A');
INSERT INTO "remit_items" VALUES('first',21,1,1800000023.0,'message','a53770a3ec330c60929d5aa090b6075f:2','{"agent":"a53770a3ec330c60929d5aa090b6075f","text":"{\"role\":\"assistant\",\"content\":\"Bread is saved.\"}","request":"b31c05e861702e357aa5a3c35f0cd602a7aa944af22e0c8c114e7295b4fd43a2"}',X'D13BBE6808A5A617EF3B62523A3C0CA8CCEE65E40D248D079AC50F8A6F3731A5',X'7C3B9A495618B3DF728C37FC316E7B536FBBDBD0C00A7A7716574F680247BDA7');
INSERT INTO "remit_items" VALUES('first',22,1,1800000024.0,'usage','a53770a3ec330c60929d5aa090b6075f:2','{"model":"scripted (no model)","finish":"stop","prompt_tokens":0,"completion_tokens":0,"response":"","requested":"scripted:scripted (no model)"}',X'87932042A1F9D5CF091F03A406995837C17750E1A48AD0E2C5DC6939DDFE5843',X'346224C54B51D5745084C955A7C7156EBA8B09652F8BA3DCF949B782869175A8');
INSERT INTO "remit_items" VALUES('first',23,1,1800000025.0,'tool_output','a53770a3ec330c60929d5aa090b6075f','{"parent":"","callee":"keeper","wire":"","text":"Bread is saved.","outcome":"ok","final":false}',X'BDC5B8E2ED70327708A2FF8B9675999778E9FCF02DE12A00876C1AA5D922F582',X'466C032AD693C105AD0D86CEDF15437A927CD4D86A76EBD9CE98703F67CC97A7');
INSERT INTO "remit_items" VALUES('first',24,1,1800000026.0,'finished','first','{"status":"done","error":""}',X'7459408151D58F0009FFB67168C1B65566A51780BD3976A42AAE9CAD0B9AE956',X'FB05FA4CD6A70E4957ABDA57A694B579CAE7BB373EDAFDD4CED9B8D2A984DD3B');
INSERT INTO "remit_items" VALUES('second',0,1,1800000027.0,'opened','second','{"format":1,"tenant":"default","principal":"ada","application":"golden","agent":"","callee":"keeper","arguments":"{\"prompt\":\"Erase bread.\"}","conversation":"words","after":"first","terms":"[[[\"\"],{\"layers\":[\"Authorize\",\"Validate\",\"Budget\",\"Approve\"],\"limits\":{\"Approve.max_questions\":20.0,\"Budget.calls\":256.0,\"Budget.depth\":8.0,\"Limits.agent_depth\":5.0,\"Limits.answer_calls\":128.0,\"Limits.argument_bytes\":1048576.0,\"Limits.argument_depth\":64.0,\"Limits.artifact_bytes\":67108864.0,\"Limits.callback_seconds\":30.0,\"Limits.error_bytes\":16384.0,\"Limits.handoffs\":10.0,\"Limits.image_bytes\":3932160.0,\"Limits.note_bytes\":65536.0,\"Limits.output_bytes\":262144.0,\"Limits.reason_bytes\":4096.0,\"Limits.reply_bytes\":2097152.0,\"Limits.reply_seconds\":1800.0},\"policies\":[[[\"high risk\",2],[\"egress\",2],[\"undeclared\",2]]]}],[[\"keeper\"],{\"limits\":{\"output_bytes\":262144.0,\"repeats\":3.0,\"turns\":16.0}}]]"}',X'09F66D554DB3B2B3C18E3510BD934753A001C4D67C50FE736171330252880036',X'FF31E77D5B78E8B35EB308F15DD743F409B79D767BD6C4E778B178939B4AF396');
INSERT INTO "remit_items" VALUES('second',1,1,1800000030.0,'message','e5f5ccda5ce3f7ea55435b96bb8e8049','{"agent":"e5f5ccda5ce3f7ea55435b96bb8e8049","text":"{\"role\":\"system\",\"content\":\"Keep words.\"}","by":"instructions"}',X'F0DCB0DF71F2F3A9FF0DDE30B278B34C6DDF343648278627D2648DD274C22BFD',X'79EAFB173564C2789D95EFE33776EEFED7395F63F92E462127EECFB5A1F70227');
INSERT INTO "remit_items" VALUES('second',2,1,1800000031.0,'message','e5f5ccda5ce3f7ea55435b96bb8e8049','{"agent":"e5f5ccda5ce3f7ea55435b96bb8e8049","text":"{\"role\":\"user\",\"content\":\"Erase bread.\"}","by":"person"}',X'57821DB737464B4CA5114ABE70C5B200CF6BB40E3E94EE84C7476CECACBB9385',X'1464288FB39C6AC61FB9DC891FD2A58C882498F9298DC2CED754620F7D6B3650');
INSERT INTO "remit_items" VALUES('second',3,1,1800000032.0,'message','e5f5ccda5ce3f7ea55435b96bb8e8049:1','{"agent":"e5f5ccda5ce3f7ea55435b96bb8e8049","text":"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call_0_erase\",\"type\":\"function\",\"function\":{\"name\":\"erase\",\"arguments\":\"{\\\"word\\\": \\\"bread\\\"}\"}}]}","request":"76a76c1aa3b4dc9d97525317750047f48e9d7c27b9295c4a13c1dbfd4b1201b5"}',X'C20CEE21FE728DA306D3EDB53EAC16AE2C75F150EDB9056DB05C39613AC534DC',X'6FBF0B47ED709B4F5F73EEA80A8188E48F8499FCEADCACC2E8A00ED8A0F05AB0');
INSERT INTO "remit_items" VALUES('second',4,1,1800000033.0,'usage','e5f5ccda5ce3f7ea55435b96bb8e8049:1','{"model":"scripted (no model)","finish":"tool_calls","prompt_tokens":0,"completion_tokens":0,"response":"","requested":"scripted:scripted (no model)"}',X'689AE13A2BEBEA00D57192F40157C6D12994CD275FA905A9F27B03EE73174D68',X'94F8340BDFC40F0E2ED3F80546495D5940A34EA5F7283C547DCC8AD29CFCA5B9');
INSERT INTO "remit_items" VALUES('second',5,1,1800000037.0,'question','62bd659eb4e86ea4a3eadf16703ab969','{"parent":"e5f5ccda5ce3f7ea55435b96bb8e8049","callee":"erase","wire":"call_0_erase","about":"approval","question":"18fb0984f3da","body":"{\"id\":\"18fb0984f3da\",\"match\":\"3daf56b8c3aa8521cb1b8e13dcc7711f\",\"kind\":\"approval\",\"tenant\":\"default\",\"conversation\":\"words\",\"run\":\"second\",\"call\":\"62bd659eb4e86ea4a3eadf16703ab969\",\"agent\":\"keeper\",\"asker\":\"ada\",\"tool\":\"erase\",\"arguments\":\"{\\\"word\\\":\\\"bread\\\"}\",\"definition\":\"d5798ca9a817d8160c009a653ca84776\",\"risk\":\"high\",\"rule\":\"high risk\",\"reason\":\"erase is high-risk\",\"who\":\"approvals:decide\",\"asked\":1800000034.0,\"expires\":1800604834.0,\"waits\":true,\"four_eyes\":false,\"shown\":\"\",\"edits\":\"\",\"editor\":\"\",\"layer\":0,\"replaces\":\"\",\"changes\":[],\"link\":\"\",\"state\":\"\",\"message\":\"Erase bread.\",\"news\":[],\"needs\":\"approve\",\"plan\":[],\"within\":\"\",\"further_permissions\":[]}"}',X'590F030924EFB7F8B6272CDFDA64420BF46FB9F86652627E132A771768729850',X'4A39E906C1FBFC5A8A3C768C2AF5B0AE147DFCF8F9CE22E1688513A55847CEEC');
INSERT INTO "remit_items" VALUES('second',6,1,1800000039.0,'suspended','second','{"questions":["18fb0984f3da"]}',X'DE754BFBF043E7E0587D74B7E638D2280DCA8CEE73490BF29299DCA4F59B620A',X'A8966CEEFD64C948DA640619A2E50D6DEF16D3D2CD40846A89D75F3096894A4B');
INSERT INTO "remit_items" VALUES('second',7,2,1800000043.0,'resumed','second','{"driver":"20826-4d6gv9npq1dd"}',X'86C5E435CA52656DC8E075BCCD80CA16778552AFB59BF08DD2C6039C936740D1',X'641DCAAC91D511EEF24238417F0F63F750D3DD49B6DD721C16A10E261DD6A08A');
INSERT INTO "remit_items" VALUES('second',8,2,1800000044.0,'decision','62bd659eb4e86ea4a3eadf16703ab969','{"question":"18fb0984f3da","body":"{\"question\":\"18fb0984f3da\",\"approved\":true,\"by\":\"ada\",\"result\":\"\",\"reason\":\"it is stale\",\"at\":1800000040.0,\"arguments\":\"\",\"grant\":\"\",\"kind\":\"approve\"}"}',X'9732EC7CDCF61B7CC349D3A2A06CCB30FD66D334AF63CCFDB084C0D80ED5E9F2',X'013B81F812F6BEFC6005DF07B07D42AFB80294E1B77393B61F163C006821650C');
INSERT INTO "remit_items" VALUES('second',9,2,1800000047.0,'started','62bd659eb4e86ea4a3eadf16703ab969','{"parent":"e5f5ccda5ce3f7ea55435b96bb8e8049","callee":"erase","attempt":1,"wire":"call_0_erase","question":"18fb0984f3da"}',X'AD629A93B954DA3E02687576755898E8F6A8038AC2FE0240747F716544E6F54A',X'1D7FA960380BF7878E8617703293FC247CDC888A856FF4B0D0B2B1EB106B9E79');
INSERT INTO "remit_items" VALUES('second',10,2,1800000048.0,'ended','62bd659eb4e86ea4a3eadf16703ab969','{"attempt":1,"outcome":"ok","content":"erased bread"}',X'A65657BBD7ADD0B45715084835EED76713B157612EDDF4DE785712020C59570C',X'DFD1DAFAE9C4C3D6E0081DFD93D55D532C88EEDC1D1D5E150C26F8B7DBDA0562');
INSERT INTO "remit_items" VALUES('second',11,2,1800000049.0,'tool_output','62bd659eb4e86ea4a3eadf16703ab969','{"parent":"e5f5ccda5ce3f7ea55435b96bb8e8049","callee":"erase","wire":"call_0_erase","text":"{\"role\":\"tool\",\"tool_call_id\":\"call_0_erase\",\"content\":\"erased bread\"}","outcome":"ok","final":false}',X'9CE075862F28E1E7146E25B932D3F1AA58A8D1BB6C8E9F04242D3D7F0713CE52',X'83DC143272816DDDEEBD15426C2F91776A143A8AAE50C05AC28D92A9167258A9');
INSERT INTO "remit_items" VALUES('second',12,2,1800000050.0,'message','e5f5ccda5ce3f7ea55435b96bb8e8049:2','{"agent":"e5f5ccda5ce3f7ea55435b96bb8e8049","text":"{\"role\":\"assistant\",\"content\":\"Bread is erased.\"}","request":"1f72eb7140be6ac75b7ef640e33c08e72cd12d71350976ebb094ebf04a92d413"}',X'DC91114CA1620C9961C042F9012D2B43BC86C3C5684845D1F53425786F7BB71E',X'425C3C2E1A8E982F3536FF2892F4CB0C1FEB15F99941578D1D13AB0AEC7B594E');
INSERT INTO "remit_items" VALUES('second',13,2,1800000051.0,'usage','e5f5ccda5ce3f7ea55435b96bb8e8049:2','{"model":"scripted (no model)","finish":"stop","prompt_tokens":0,"completion_tokens":0,"response":"","requested":"scripted:scripted (no model)"}',X'87932042A1F9D5CF091F03A406995837C17750E1A48AD0E2C5DC6939DDFE5843',X'302373826809B9EC5E624AF5AFACA3D41C6351C6416F91DE1DF0E0DBCC82A251');
INSERT INTO "remit_items" VALUES('second',14,2,1800000052.0,'tool_output','e5f5ccda5ce3f7ea55435b96bb8e8049','{"parent":"","callee":"keeper","wire":"","text":"Bread is erased.","outcome":"ok","final":false}',X'E74CFF7B656BFB2B34D306A8F9BB48AB2C684E64A7BBA52E2D23858E6BEC6DA8',X'31A89E28DECC148FAF8756CD509A974DD959B94F4383362AE469DF95B2E5C58B');
INSERT INTO "remit_items" VALUES('second',15,2,1800000053.0,'finished','second','{"status":"done","error":""}',X'7459408151D58F0009FFB67168C1B65566A51780BD3976A42AAE9CAD0B9AE956',X'B09CAFE73323D2651BED3B017DECC7E06763DB5BEE1828CC994B70B59D143932');
INSERT INTO "remit_items" VALUES('third',0,1,1800000054.0,'opened','third','{"format":1,"tenant":"default","principal":"ada","application":"golden","agent":"","callee":"keeper","arguments":"{\"prompt\":\"Erase salt.\"}","conversation":"words","after":"second","terms":"[[[\"\"],{\"layers\":[\"Authorize\",\"Validate\",\"Budget\",\"Approve\"],\"limits\":{\"Approve.max_questions\":20.0,\"Budget.calls\":256.0,\"Budget.depth\":8.0,\"Limits.agent_depth\":5.0,\"Limits.answer_calls\":128.0,\"Limits.argument_bytes\":1048576.0,\"Limits.argument_depth\":64.0,\"Limits.artifact_bytes\":67108864.0,\"Limits.callback_seconds\":30.0,\"Limits.error_bytes\":16384.0,\"Limits.handoffs\":10.0,\"Limits.image_bytes\":3932160.0,\"Limits.note_bytes\":65536.0,\"Limits.output_bytes\":262144.0,\"Limits.reason_bytes\":4096.0,\"Limits.reply_bytes\":2097152.0,\"Limits.reply_seconds\":1800.0},\"policies\":[[[\"high risk\",2],[\"egress\",2],[\"undeclared\",2]]]}],[[\"keeper\"],{\"limits\":{\"output_bytes\":262144.0,\"repeats\":3.0,\"turns\":16.0}}]]"}',X'0A7E03911507C653CA8FFA4838CA330E48D70F88192C2E6739F9745D9EF3045B',X'870BD10A2C00778FC5620446E88168617B0A9BAFF47C7314DE7C7D996AF5D2AC');
INSERT INTO "remit_items" VALUES('third',1,1,1800000057.0,'message','1cefc44e168054be3f655e671d292060','{"agent":"1cefc44e168054be3f655e671d292060","text":"{\"role\":\"system\",\"content\":\"Keep words.\"}","by":"instructions"}',X'E143C8B58221777B5C4013659C5A436D5A3823D23B5DDFD9F40212C96B6B3A12',X'17C7968887BB3BC0D640870223EFDA2858E1108A2164023D1FF8CC5D5391A773');
INSERT INTO "remit_items" VALUES('third',2,1,1800000058.0,'message','1cefc44e168054be3f655e671d292060','{"agent":"1cefc44e168054be3f655e671d292060","text":"{\"role\":\"user\",\"content\":\"Erase salt.\"}","by":"person"}',X'CB030B8EE569A78F3D48F1F6A431342D5242149AC014E29BBD5406384972DFDC',X'F43A16423DBFA44874BC3BD40401D0BE0BB1351C6F44CAC5E56EF318FD3C88A3');
INSERT INTO "remit_items" VALUES('third',3,1,1800000059.0,'message','1cefc44e168054be3f655e671d292060:1','{"agent":"1cefc44e168054be3f655e671d292060","text":"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"call00005\",\"type\":\"function\",\"function\":{\"name\":\"erase\",\"arguments\":\"{\\\"word\\\": \\\"salt\\\"}\"}},{\"id\":\"call00006\",\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":\"{\\\"word\\\": \\\"salt\\\"}\"}}]}","request":"c372baf08662d155ab6423f24f058f87a116685865dddd7d4c6c9f278bbc4040"}',X'3906600F7412E0C37A55E560127C8455A78AE143F3D03F8E418AD00A95899DF7',X'0178B813C78DBF869EE137CA6573666B0B69AC71128E732724B981AD3D82B11F');
INSERT INTO "remit_items" VALUES('third',4,1,1800000060.0,'usage','1cefc44e168054be3f655e671d292060:1','{"model":"scripted (no model)","finish":"tool_calls","prompt_tokens":0,"completion_tokens":0,"response":"","requested":"scripted:scripted (no model)"}',X'689AE13A2BEBEA00D57192F40157C6D12994CD275FA905A9F27B03EE73174D68',X'CB66E18948E989322EE037894AACAE8A96D33C28F3EB689EEE3F2E74926D495B');
INSERT INTO "remit_items" VALUES('third',5,1,1800000061.0,'started','d70dc6573d8ff6052d698736bb89561c','{"parent":"1cefc44e168054be3f655e671d292060","callee":"look","attempt":1,"wire":"call00006"}',X'35D380FF7087CDEBEF9E0CDAB32DA68F09CE330CA747BB8AE17885BE8976E467',X'4D3CAEA9CDA8B6F08225FE78DEFAAAA37ADB91AC59B0FD65EB58F30334A8C402');
INSERT INTO "remit_items" VALUES('third',6,1,1800000062.0,'tool_output','d70dc6573d8ff6052d698736bb89561c','{"parent":"1cefc44e168054be3f655e671d292060","callee":"look","wire":"call00006","text":"{\"role\":\"tool\",\"tool_call_id\":\"call00006\",\"content\":\"salt: a w\u00f6rd \u2014 \u8a9e\"}","outcome":"ok","final":false}',X'A045257FD973CA1B017D94B550F2EA400D01EB0CBF3BDCF86C7AFB85BF85694F',X'EF5B299529F8046F4D58A45DB2C8A4F6A95314C128ECBDADBBE6E2B8B5FF90F4');
INSERT INTO "remit_items" VALUES('third',7,1,1800000066.0,'question','f97360cfa986f5cca82bfaa86ba72579','{"parent":"1cefc44e168054be3f655e671d292060","callee":"erase","wire":"call00005","about":"approval","question":"8e378aee20d6","body":"{\"id\":\"8e378aee20d6\",\"match\":\"73a89a79dd474a3988768e4c7eae8dec\",\"kind\":\"approval\",\"tenant\":\"default\",\"conversation\":\"words\",\"run\":\"third\",\"call\":\"f97360cfa986f5cca82bfaa86ba72579\",\"agent\":\"keeper\",\"asker\":\"ada\",\"tool\":\"erase\",\"arguments\":\"{\\\"word\\\":\\\"salt\\\"}\",\"definition\":\"d5798ca9a817d8160c009a653ca84776\",\"risk\":\"high\",\"rule\":\"high risk\",\"reason\":\"erase is high-risk\",\"who\":\"approvals:decide\",\"asked\":1800000063.0,\"expires\":1800604863.0,\"waits\":true,\"four_eyes\":false,\"shown\":\"\",\"edits\":\"\",\"editor\":\"\",\"layer\":0,\"replaces\":\"\",\"changes\":[],\"link\":\"\",\"state\":\"\",\"message\":\"Erase salt.\",\"news\":[{\"where\":\"word\",\"before\":\"\\\"bread\\\"\",\"after\":\"\\\"salt\\\"\"}],\"needs\":\"approve\",\"plan\":[],\"within\":\"\",\"further_permissions\":[]}"}',X'1874874957407714DF9D266626FE3E023FB3378F33049F6A7F2AF13F72905B0A',X'7E7CC2E1E6B13262988A39010034FD40DA5C35C8EA8DC0B093674A14489FA933');
INSERT INTO "remit_items" VALUES('third',8,1,1800000068.0,'suspended','third','{"questions":["8e378aee20d6"]}',X'285F4FB6451554B2353234A48DFC2F88544C77E170FFC58C4421224EBAF38BBE',X'EA2EEB2137CBB941978FE3099E631FC0633D683C7B1F6F347AF4BA630AA7831B');
CREATE TABLE remit_key (
	signature BLOB NOT NULL, 
	PRIMARY KEY (signature)
);
INSERT INTO "remit_key" VALUES(X'6F13BF10F1E76902C0A4943B230027DAFB65AE547E69A8A6638415283FF5F06F');
CREATE TABLE remit_questions (
	question TEXT NOT NULL, 
	run TEXT NOT NULL, 
	conversation TEXT NOT NULL, 
	"match" TEXT NOT NULL, 
	status TEXT NOT NULL, 
	asked FLOAT NOT NULL, 
	body TEXT NOT NULL, 
	decision TEXT NOT NULL, 
	taken_run TEXT NOT NULL, 
	taken_call TEXT NOT NULL, 
	signature BLOB, 
	approval TEXT DEFAULT '' NOT NULL, 
	tenant TEXT DEFAULT '' NOT NULL, 
	request_key TEXT DEFAULT '' NOT NULL, 
	expires FLOAT NOT NULL, 
	changed BIGINT NOT NULL, 
	PRIMARY KEY (question)
);
INSERT INTO "remit_questions" VALUES('18fb0984f3da','second','words','3daf56b8c3aa8521cb1b8e13dcc7711f','taken',1800000034.0,'{"id":"18fb0984f3da","match":"3daf56b8c3aa8521cb1b8e13dcc7711f","kind":"approval","tenant":"default","conversation":"words","run":"second","call":"62bd659eb4e86ea4a3eadf16703ab969","agent":"keeper","asker":"ada","tool":"erase","arguments":"{\"word\":\"bread\"}","definition":"d5798ca9a817d8160c009a653ca84776","risk":"high","rule":"high risk","reason":"erase is high-risk","who":"approvals:decide","asked":1800000034.0,"expires":1800604834.0,"waits":true,"four_eyes":false,"shown":"","edits":"","editor":"","layer":0,"replaces":"","changes":[],"link":"","state":"","message":"Erase bread.","news":[],"needs":"approve","plan":[],"within":"","further_permissions":[]}','{"question":"18fb0984f3da","approved":true,"by":"ada","result":"","reason":"it is stale","at":1800000040.0,"arguments":"","grant":"","kind":"approve"}','second','62bd659eb4e86ea4a3eadf16703ab969',X'9A43E73E8AB5C941429121079E59DBC72B09AE78A3FA9D7139CEBA8407A5B62D','167b378ff9603414eccd0ebc5083aa7f','default','',1800604834.0,7);
INSERT INTO "remit_questions" VALUES('8e378aee20d6','third','words','73a89a79dd474a3988768e4c7eae8dec','open',1800000063.0,'{"id":"8e378aee20d6","match":"73a89a79dd474a3988768e4c7eae8dec","kind":"approval","tenant":"default","conversation":"words","run":"third","call":"f97360cfa986f5cca82bfaa86ba72579","agent":"keeper","asker":"ada","tool":"erase","arguments":"{\"word\":\"salt\"}","definition":"d5798ca9a817d8160c009a653ca84776","risk":"high","rule":"high risk","reason":"erase is high-risk","who":"approvals:decide","asked":1800000063.0,"expires":1800604863.0,"waits":true,"four_eyes":false,"shown":"","edits":"","editor":"","layer":0,"replaces":"","changes":[],"link":"","state":"","message":"Erase salt.","news":[{"where":"word","before":"\"bread\"","after":"\"salt\""}],"needs":"approve","plan":[],"within":"","further_permissions":[]}','','','',X'BEED08B5AB4CD0C24E1FE8D2B8A25C0BE472625A0AF8C560CA1D69D73063A521','','default','',1800604863.0,10);
CREATE TABLE remit_runs (
	run TEXT NOT NULL, 
	epoch INTEGER NOT NULL, 
	driver TEXT NOT NULL, 
	until FLOAT NOT NULL, 
	next_seq INTEGER NOT NULL, 
	status TEXT NOT NULL, 
	tenant TEXT NOT NULL, 
	principal TEXT NOT NULL, 
	application TEXT NOT NULL, 
	agent TEXT NOT NULL, 
	callee TEXT NOT NULL, 
	conversation TEXT NOT NULL, 
	"after" TEXT NOT NULL, 
	opened FLOAT NOT NULL, 
	ended FLOAT NOT NULL, 
	cancelled TEXT NOT NULL, 
	number INTEGER DEFAULT '0' NOT NULL, 
	wake FLOAT DEFAULT '0' NOT NULL, 
	signature BLOB, 
	cancel_signature BLOB, 
	target TEXT DEFAULT '' NOT NULL, 
	erased INTEGER DEFAULT 0 NOT NULL, 
	changed BIGINT NOT NULL, 
	PRIMARY KEY (run)
);
INSERT INTO "remit_runs" VALUES('first',1,'20826-4d6gv9npq1dd',0.0,25,'done','default','ada','golden','','keeper','words','',1800000000.0,1800000026.0,'',1,0.0,X'BFE54572691BF3B3A2D694219361B0D9D949D3C079E0BF5EBC72C2ABF8D90C8F',NULL,'',0,2);
INSERT INTO "remit_runs" VALUES('second',2,'20826-4d6gv9npq1dd',0.0,16,'done','default','ada','golden','','keeper','words','first',1800000027.0,1800000053.0,'',2,0.0,X'EC537098B33479773A13E45C09BB69A1A0D415B88DA63C25EBB7BF46A07B8E18',NULL,'',0,8);
INSERT INTO "remit_runs" VALUES('third',1,'20826-4d6gv9npq1dd',0.0,9,'waiting','default','ada','golden','','keeper','words','second',1800000054.0,0.0,'',3,1800604863.0,X'B96BDDB4695CEB384DF434BC286C03E4B21B2604156C355C34FCC1927D4183B9',NULL,'',0,11);
CREATE TABLE remit_turns (
	rate TEXT NOT NULL, 
	lane INTEGER NOT NULL, 
	start FLOAT NOT NULL, 
	PRIMARY KEY (rate, lane)
);
CREATE TABLE remit_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT remit_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "remit_version" VALUES('0001_first');
CREATE TABLE remit_watches (
	run TEXT NOT NULL, 
	until FLOAT NOT NULL, 
	PRIMARY KEY (run)
);
CREATE INDEX remit_runs_changed ON remit_runs (tenant, changed);
CREATE INDEX remit_runs_conversation ON remit_runs (conversation, number);
CREATE INDEX remit_runs_tenant ON remit_runs (tenant, opened);
CREATE INDEX remit_runs_principal ON remit_runs (tenant, principal, opened);
CREATE INDEX remit_runs_status ON remit_runs (tenant, status, opened);
CREATE INDEX remit_runs_callee ON remit_runs (tenant, callee, opened);
CREATE INDEX remit_runs_principal_status ON remit_runs (tenant, principal, status, opened);
CREATE INDEX remit_runs_due ON remit_runs (application, wake) WHERE ended = 0;
CREATE INDEX remit_questions_changed ON remit_questions (tenant, changed);
CREATE INDEX remit_questions_expires ON remit_questions (tenant, expires) WHERE status = 'open';
CREATE INDEX remit_questions_match ON remit_questions (conversation, "match");
CREATE INDEX remit_questions_run ON remit_questions (run);
CREATE INDEX remit_questions_approval ON remit_questions (approval, asked, question);
CREATE INDEX remit_questions_tenant ON remit_questions (tenant, asked);
CREATE INDEX remit_questions_key ON remit_questions (request_key);
CREATE INDEX remit_questions_open ON remit_questions (tenant, asked) WHERE status = 'open';
CREATE INDEX remit_grants_tool ON remit_grants (tenant, tool);
CREATE INDEX remit_turns_start ON remit_turns (rate, start);
CREATE INDEX remit_conversations_changed ON remit_conversations (tenant, changed);
CREATE INDEX remit_conversations_tenant ON remit_conversations (tenant, active);
CREATE INDEX remit_artifacts_run ON remit_artifacts (run);
COMMIT;
